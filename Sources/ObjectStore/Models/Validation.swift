extension Model {
    /// Finds nothing wrong.
    public func validate() throws(ValidationError) {}

    /// Throws that something is wrong with a property, unless it is right.
    ///
    /// ```swift
    /// try check(\.title, !title.isEmpty, "can't be blank")
    /// ```
    public func check(
        _ property: KeyPath<Properties, some PropertyToken>, _ isRight: Bool, _ message: @autoclosure () -> String
    ) throws(ValidationError) {
        try checkAll { check in check(property, isRight, message()) }
    }

    /// Throws all that is wrong at once.
    ///
    /// ```swift
    /// try checkAll { check in
    ///     check(\.title, !title.isEmpty, "can't be blank")
    ///     check(\.number, (number ?? 1) > 0, "must be positive")
    ///     check(opened <= closed, "can't be closed before it is opened")
    /// }
    /// ```
    public func checkAll(_ body: (inout PropertyChecks<Self>) -> Void) throws(ValidationError) {
        var checks = PropertyChecks<Self>()
        body(&checks)
        if !checks.found.isEmpty { throw checks.found }
    }
}

/// Gathers what is wrong with an object; see ``Model/checkAll(_:)``.
public struct PropertyChecks<M: Model> {
    var found = ValidationError()

    /// Notes that something is wrong with a property, unless it is right.
    public mutating func callAsFunction(
        _ property: KeyPath<M.Properties, some PropertyToken>, _ isRight: Bool, _ message: @autoclosure () -> String
    ) {
        if !isRight { found.fields[M.properties[keyPath: property].description.name, default: []].append(message()) }
    }

    /// Notes that something is wrong with the object as a whole, unless it is right.
    public mutating func callAsFunction(_ isRight: Bool, _ message: @autoclosure () -> String) {
        if !isRight { found.objectErrors.append(message()) }
    }
}

extension PropertyChecks where M: Submodel {
    /// The same of a property that the class itself declares.
    public mutating func callAsFunction(
        _ property: KeyPath<M.OwnProperties, some PropertyToken>, _ isRight: Bool, _ message: @autoclosure () -> String
    ) {
        if !isRight { found.fields[M.ownProperties[keyPath: property].description.name, default: []].append(message()) }
    }
}

extension Submodel {
    /// The same of a property that the class itself declares.
    public func check(
        _ property: KeyPath<OwnProperties, some PropertyToken>, _ isRight: Bool, _ message: @autoclosure () -> String
    ) throws(ValidationError) {
        try checkAll { check in check(property, isRight, message()) }
    }
}
