/// What wraps a model's objects and lists in a body, where it is not what the API's conventions say.
public enum ModelEnvelope: Sendable, Hashable {
    /// As the API's conventions say.
    case conventional
    /// Nothing: the object or the list itself is the body.
    case none
    /// An object stands at the key or key path `object`, a list at `list`: `{"issue": {…}}` and `{"issues": […]}`. Where no
    /// list is named, it is the object's plural.
    case named(_ object: String, list: String? = nil)
}
