"""The scikit-learn shell: certified learning behind `fit` and `predict`."""
