import Testing

/// If the type is Swift's own, by its spelling or a literal, the calls have only one overload. Any other type is
/// handled generically.
@Suite struct SwiftTypeExpansionTests {
    @Test func `A literal or a standard spelling gives a property its type`() {
        expectExpansion(
            """
            @Model
            final class Place {
                var identifier: Swift.Int?
                var offset = -1
                var ratio = 0.5
                var names: [String]? = nil
                var scores: [String: Double] = [:]
            }
            """,
            """
            final class Place {
                var identifier: Swift.Int? {
                    get {
                        _object.optionalInteger(of: Self.properties.identifier, at: 0)
                    }
                    set {
                        _object.setOptionalInteger(newValue, of: Self.properties.identifier, at: 0, in: self)
                    }
                }
                var offset {
                    get {
                        _object.integer(of: Self.properties.offset, at: 1)
                    }
                    set {
                        _object.setInteger(newValue, of: Self.properties.offset, at: 1, in: self)
                    }
                }
                var ratio {
                    get {
                        _object.real(of: Self.properties.ratio, at: 2)
                    }
                    set {
                        _object.setReal(newValue, of: Self.properties.ratio, at: 2, in: self)
                    }
                }
                var names: [String]? {
                    get {
                        Self.properties.names.value(in: _object)
                    }
                    set {
                        Self.properties.names.set(newValue, in: _object)
                    }
                }
                var scores: [String: Double] {
                    get {
                        Self.properties.scores.value(in: _object)
                    }
                    set {
                        Self.properties.scores.set(newValue, in: _object)
                    }
                }

                nonisolated struct Properties: Sendable {
                    let identifier = RestfulData.Declaration<Place>.optionalAttribute(0, "identifier", Swift.Int?.self)
                    let offset = RestfulData.Declaration<Place>.constantAttribute(1, "offset", Swift.Int.self, default: -1)
                    let ratio = RestfulData.Declaration<Place>.constantAttribute(2, "ratio", Swift.Double.self, default: 0.5)
                    let names = RestfulData.Declaration<Place>.optionalAttribute(3, "names", [String]?.self)
                    let scores = RestfulData.Declaration<Place>.property(4, "scores", [String: Double].self, default: [:])
                }

                nonisolated static let properties = Properties()

                nonisolated static let modelDescription = RestfulData.ModelDescription(
                    Place.self, "Place", RestfulData.ModelOptions(),
                    [properties.identifier, properties.offset, properties.ratio, properties.names, properties.scores])

                @safe nonisolated(unsafe) let _object: RestfulData.ObjectState

                nonisolated init(in context: RestfulData.ObjectContext) {
                    _object = RestfulData.ObjectState(insertingInto: context, Place.self)
                    _object.register(self)
                }

                nonisolated init(_object: RestfulData.ObjectState) {
                    self._object = _object
                }
            }

            nonisolated extension Place: RestfulData.Model {}

            @available(*, unavailable, message: "an object is used where its context is; pass its identity on")
            nonisolated extension Place: Swift.Sendable {}
            """)
    }

    @Test func `A call or another type's name leaves a property on the general path`() {
        expectExpansion(
            """
            @Model
            final class Place {
                var identifier: ID?
                var limit = Int("5")
                var mask = ~7
                var opened: Date?
                var hours: Table<Int>?
            }
            """,
            """
            final class Place {
                var identifier: ID? {
                    get {
                        _object.value(of: Self.properties.identifier, at: 0)
                    }
                    set {
                        _object.set(Self.properties.identifier, at: 0, to: newValue)
                    }
                }

                nonisolated var $identifier: RestfulData.Relationship<Place, ID?> {
                    RestfulData.Relationship(of: self, Self.properties.identifier)
                }
                var limit {
                    get {
                        _object.value(of: Self.properties.limit, at: 1)
                    }
                    set {
                        _object.set(Self.properties.limit, at: 1, to: newValue)
                    }
                }
                var mask {
                    get {
                        _object.value(of: Self.properties.mask, at: 2)
                    }
                    set {
                        _object.set(Self.properties.mask, at: 2, to: newValue)
                    }
                }
                var opened: Date? {
                    get {
                        Self.properties.opened.value(in: _object)
                    }
                    set {
                        Self.properties.opened.set(newValue, in: _object)
                    }
                }
                var hours: Table<Int>? {
                    get {
                        _object.value(of: Self.properties.hours, at: 4)
                    }
                    set {
                        _object.set(Self.properties.hours, at: 4, to: newValue)
                    }
                }

                nonisolated struct Properties: Sendable {
                    let identifier = RestfulData.Declaration<Place>.property(0, "identifier", ID?.self)
                    let limit = RestfulData.Declaration<Place>.property(1, "limit", default: Int("5"))
                    let mask = RestfulData.Declaration<Place>.property(2, "mask", default: ~7)
                    let opened = RestfulData.Declaration<Place>.property(3, "opened", Date?.self)
                    let hours = RestfulData.Declaration<Place>.property(4, "hours", Table<Int>?.self)
                }

                nonisolated static let properties = Properties()

                nonisolated static let modelDescription = RestfulData.ModelDescription(
                    Place.self, "Place", RestfulData.ModelOptions(),
                    [properties.identifier, properties.limit, properties.mask, properties.opened, properties.hours])

                @safe nonisolated(unsafe) let _object: RestfulData.ObjectState

                nonisolated init(in context: RestfulData.ObjectContext) {
                    _object = RestfulData.ObjectState(insertingInto: context, Place.self)
                    _object.register(self)
                }

                nonisolated init(_object: RestfulData.ObjectState) {
                    self._object = _object
                }
            }

            nonisolated extension Place: RestfulData.Model {}

            @available(*, unavailable, message: "an object is used where its context is; pass its identity on")
            nonisolated extension Place: Swift.Sendable {}
            """)
    }
}
