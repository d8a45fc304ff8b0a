extension Model {
    /// Accepts every object.
    public func validate() throws(ValidationError) {}

    /// Throws an error about a property if a condition is false.
    ///
    /// ```swift
    /// try check(\.title, !title.isEmpty, "can't be blank")
    /// ```
    public func check(
        _ property: KeyPath<Properties, some PropertyToken>, _ isRight: Bool, _ message: @autoclosure () -> String
    ) throws(ValidationError) {
        try checkAll { check in check(property, isRight, message()) }
    }

    /// Throws the errors of several checks together.
    ///
    /// ```swift
    /// try checkAll { check in
    ///     check(\.title, !title.isEmpty, "can't be blank")
    ///     check(opened <= closed, "can't be closed before it is opened")
    /// }
    /// ```
    public func checkAll(_ body: (inout PropertyChecks<Self>) -> Void) throws(ValidationError) {
        var checks = PropertyChecks<Self>()
        body(&checks)
        if !checks.found.isEmpty { throw checks.found }
    }
}

/// Collects the errors of an object; see ``Model/checkAll(_:)``.
public struct PropertyChecks<M: Model> {
    var found = ValidationError()

    /// Adds an error about a property if a condition is false.
    public mutating func callAsFunction(
        _ property: KeyPath<M.Properties, some PropertyToken>, _ isRight: Bool, _ message: @autoclosure () -> String
    ) {
        if !isRight { found.fields[M.properties[keyPath: property].description.name, default: []].append(message()) }
    }

    /// Adds an error about the object as a whole if a condition is false.
    public mutating func callAsFunction(_ isRight: Bool, _ message: @autoclosure () -> String) {
        if !isRight { found.objectErrors.append(message()) }
    }
}

extension PropertyChecks where M: Submodel {
    /// Adds an error about a property of the class itself if a condition is false.
    public mutating func callAsFunction(
        _ property: KeyPath<M.OwnProperties, some PropertyToken>, _ isRight: Bool, _ message: @autoclosure () -> String
    ) {
        if !isRight { found.fields[M.ownProperties[keyPath: property].description.name, default: []].append(message()) }
    }
}

extension Submodel {
    /// Throws an error about a property of the class itself if a condition is false.
    public func check(
        _ property: KeyPath<OwnProperties, some PropertyToken>, _ isRight: Bool, _ message: @autoclosure () -> String
    ) throws(ValidationError) {
        try checkAll { check in check(property, isRight, message()) }
    }
}
