"""R. Planas, Analysis of the SVM-RFE algorithm for feature selection, thesis, UPC, 2021."""
