"""The tests of the project, a package: its folders hide no module of the same name elsewhere."""
