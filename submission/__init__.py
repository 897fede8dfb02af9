"""The Kaggle side: submissions are built, checked and evaluated here, by the command line."""
