"""Would Kaggle accept a file? The check runs any file in a sandbox."""
