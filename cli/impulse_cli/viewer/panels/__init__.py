"""What can be set and read on the page, one file for each tab."""
