"""Presets of settings and the rule lists, as YAML: data, kept as a package so that it is installed too."""
