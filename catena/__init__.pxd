# Makes catena a package to cimport from.
