"""Decision trees and lists: the rule, the classes, their public priors and the law they are drawn from."""
