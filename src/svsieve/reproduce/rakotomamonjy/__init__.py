"""A. Rakotomamonjy, Variable selection using SVM-based criteria, JMLR 3, 2003, 1357-1370."""
