# Empty file to make this a package
