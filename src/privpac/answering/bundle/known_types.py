"""The classes of which a stored model may consist: a closed list, of estimators and of the data they keep.

Whoever writes a bundle decides what its models are made of, and loading them makes objects of these classes in the
process that holds the records. So a class stands here only if setting its attributes and asking it for predictions
runs nothing but its own code. Functions never stand here, nor does a class that calls one it was given
(`FunctionTransformer`), nor one that hands stored numbers to compiled code that does not check them (`SVC`): those must
be vouched for by name. What stands here is the name a class is stored by, module and all; names of several releases of
scikit-learn may stand side by side.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

__all__ = ["KNOWN_TYPES", "strangers"]


def _names(module: str, words: str) -> frozenset[str]:
    return frozenset(f"{module}.{word}" for word in words.split())


CLASSIFIERS = frozenset().union(
    _names("sklearn.calibration", "CalibratedClassifierCV _CalibratedClassifier _SigmoidCalibration"),
    _names("sklearn.discriminant_analysis", "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis"),
    _names("sklearn.dummy", "DummyClassifier"),
    _names("sklearn.ensemble._bagging", "BaggingClassifier"),
    _names("sklearn.ensemble._forest", "ExtraTreesClassifier RandomForestClassifier"),
    _names("sklearn.ensemble._gb", "GradientBoostingClassifier"),
    _names("sklearn.ensemble._hist_gradient_boosting.gradient_boosting", "HistGradientBoostingClassifier"),
    _names("sklearn.ensemble._stacking", "StackingClassifier"),
    _names("sklearn.ensemble._voting", "VotingClassifier"),
    _names("sklearn.ensemble._weight_boosting", "AdaBoostClassifier"),
    _names(
        "sklearn.gaussian_process._gpc", "GaussianProcessClassifier _BinaryGaussianProcessClassifierLaplace"
    ),
    _names("sklearn.linear_model._logistic", "LogisticRegression LogisticRegressionCV"),
    _names("sklearn.linear_model._passive_aggressive", "PassiveAggressiveClassifier"),
    _names("sklearn.linear_model._perceptron", "Perceptron"),
    _names("sklearn.linear_model._ridge", "RidgeClassifier RidgeClassifierCV"),
    _names("sklearn.linear_model._stochastic_gradient", "SGDClassifier"),
    _names("sklearn.multiclass", "OneVsOneClassifier OneVsRestClassifier _ConstantPredictor"),
    _names("sklearn.naive_bayes", "BernoulliNB CategoricalNB ComplementNB GaussianNB MultinomialNB"),
    _names("sklearn.neighbors._classification", "KNeighborsClassifier RadiusNeighborsClassifier"),
    _names("sklearn.neighbors._nearest_centroid", "NearestCentroid"),
    _names("sklearn.neural_network._multilayer_perceptron", "MLPClassifier"),
    _names("sklearn.pipeline", "FeatureUnion Pipeline"),
    _names("sklearn.semi_supervised._label_propagation", "LabelPropagation LabelSpreading"),
    _names("sklearn.svm._classes", "LinearSVC"),
    _names(
        "sklearn.tree._classes",
        "DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier ExtraTreeRegressor",
    ),
)
"""What votes, alone or as a part of another; boosting has regression trees inside."""

TRANSFORMERS = frozenset().union(
    _names("sklearn.decomposition._pca", "PCA"),
    _names("sklearn.decomposition._truncated_svd", "TruncatedSVD"),
    _names("sklearn.feature_selection._variance_threshold", "VarianceThreshold"),
    _names("sklearn.impute._base", "SimpleImputer"),
    _names("sklearn.kernel_approximation", "Nystroem RBFSampler"),
    _names(
        "sklearn.preprocessing._data",
        "Binarizer MaxAbsScaler MinMaxScaler Normalizer PolynomialFeatures PowerTransformer QuantileTransformer "
        "RobustScaler StandardScaler",
    ),
    _names("sklearn.preprocessing._discretization", "KBinsDiscretizer"),
    _names("sklearn.preprocessing._encoders", "OneHotEncoder OrdinalEncoder"),
    _names("sklearn.preprocessing._label", "LabelBinarizer LabelEncoder"),
    _names("sklearn.preprocessing._polynomial", "PolynomialFeatures"),
)
"""What stands before a classifier in a pipeline, or inside of one."""

PARTS = frozenset().union(
    _names("sklearn._loss.link", "HalfLogitLink Interval LogitLink MultinomialLogit"),
    _names("sklearn._loss.loss", "ExponentialLoss HalfBinomialLoss HalfMultinomialLoss"),
    _names("sklearn.ensemble._hist_gradient_boosting.binning", "_BinMapper"),
    _names("sklearn.ensemble._hist_gradient_boosting.predictor", "TreePredictor"),
    _names(
        "sklearn.gaussian_process.kernels",
        "ConstantKernel DotProduct Exponentiation Hyperparameter Matern Product RBF RationalQuadratic Sum WhiteKernel",
    ),
    _names(
        "sklearn.metrics._dist_metrics",
        "ChebyshevDistance64 EuclideanDistance64 ManhattanDistance64 MinkowskiDistance64",
    ),
    _names("sklearn.neighbors._ball_tree", "BallTree BallTree64"),
    _names("sklearn.neighbors._kd_tree", "KDTree KDTree64"),
    _names("sklearn.neural_network._stochastic_optimizers", "AdamOptimizer SGDOptimizer"),
)
"""Data of the above that are objects."""

LOSSES = frozenset().union(
    _names("sklearn._loss._loss", "CyExponentialLoss CyHalfBinomialLoss CyHalfMultinomialLoss"),
    _names("sklearn.linear_model._sgd_fast", "Hinge Log ModifiedHuber SquaredHinge"),
)
NUMBERS = _names(
    "numpy", "bool bool_ float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 intp str_"
)

KNOWN_TYPES: Mapping[str, frozenset[str]] = {
    "ObjectNode": CLASSIFIERS | TRANSFORMERS | PARTS,
    "TreeNode": frozenset({"sklearn.tree._tree.Tree"}),
    "LossNode": LOSSES,
    "NdArrayNode": NUMBERS | {"numpy.ndarray"},
    "DTypeNode": frozenset({"numpy.dtype"}),
    "RandomStateNode": frozenset({"numpy.random.mtrand.RandomState"}),
    "RandomGeneratorNode": frozenset({"numpy.random._generator.Generator"}),
    "TypeNode": NUMBERS | _names("builtins", "bool float int str"),
    "JsonNode": frozenset({"builtins.str"}),
    "DictNode": frozenset({"builtins.dict", "collections.OrderedDict", "sklearn.utils._bunch.Bunch"}),
    "ListNode": frozenset({"builtins.list"}),
    "TupleNode": frozenset({"builtins.tuple"}),
    "SetNode": frozenset({"builtins.set"}),
    "SliceNode": frozenset({"builtins.slice"}),
}
"""By the way skops makes an object: a class must be known for the very way it is made in. Functions, methods, partial
calls, operators and constructors that are called with stored arguments have ways of their own, and stand for nothing
here."""


def strangers(tree: object, trusted: Collection[str]) -> set[str]:
    """Names of whatever a stored tree would make that is neither known nor trusted; nothing is made for that."""
    names: set[str] = set()
    waiting = [tree]
    while waiting:  # a loop: a forged tree may be deeper than Python's stack
        node = waiting.pop()
        if isinstance(node, dict):
            waiting += node.values()
            if "__loader__" in node or "__class__" in node:
                way = str(node.get("__loader__"))
                name = f"{node.get('__module__')}.{node.get('__class__')}"
                if name not in KNOWN_TYPES.get(way, ()) and name not in trusted:
                    names.add(name)
        elif isinstance(node, list):
            waiting += node
    return names
