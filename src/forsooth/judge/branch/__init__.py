"""What a branch did to the tests of a repository that has no plan: two trees, run and compared."""
