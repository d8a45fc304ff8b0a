/// Stands where an attribute's model is asked for and there is none: the values of response types are read as attributes
/// are. No store is opened with it, so there are no objects of it.
final class NoModel: Model {
    struct Properties: Sendable {}

    static let properties = Properties()
    static let modelDescription = ModelDescription(NoModel.self, "NoModel", ModelOptions(), [])

    let _object: ObjectState

    init(_object: ObjectState) { self._object = _object }
}
