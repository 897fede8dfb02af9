"""Would Kaggle accept a file? Any file, in a sandbox."""
