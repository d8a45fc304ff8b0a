import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Classes that others inherit from, and those that do.
@Suite struct InheritanceExpansionTests {
    @Test func `A class with a discriminator is expanded so that others inherit from it`() {
        expectExpansion(
            """
            @Model("/events", discriminator: "type")
            public class Event {
                var identifier: Int?
                var type = ""
            }
            """,
            """
            public class Event {
                var identifier: Int? {
                    get {
                        _object.optionalInteger(of: Self.properties.identifier, at: 0)
                    }
                    set {
                        _object.setOptionalInteger(newValue, of: Self.properties.identifier, at: 0, in: self)
                    }
                }
                var type {
                    get {
                        _object.text(of: Self.properties.type, at: 1)
                    }
                    set {
                        _object.setText(newValue, of: Self.properties.type, at: 1, in: self)
                    }
                }

                nonisolated public struct Properties: Sendable {
                    let identifier = RestfulData.Declaration<Event>.optionalAttribute(0, "identifier", Int?.self)
                    let type = RestfulData.Declaration<Event>.constantAttribute(1, "type", Swift.String.self, default: "")
                    public static let _description = RestfulData.ModelDescription(
                        Event.self, "Event", RestfulData.ModelOptions("/events", discriminator: "type"),
                        [Event.properties.identifier, Event.properties.type])
                }

                nonisolated public static let properties = Properties()

                nonisolated public class var modelDescription: RestfulData.ModelDescription {
                    Properties._description
                }

                @safe nonisolated(unsafe) public let _object: RestfulData.ObjectState

                nonisolated public init(in context: RestfulData.ObjectContext) {
                    _object = RestfulData.ObjectState(insertingInto: context, Event.self)
                    _object.register(self)
                }

                nonisolated public required init(_object: RestfulData.ObjectState) {
                    self._object = _object
                }
            }

            nonisolated extension Event: RestfulData.Model {}

            @available(*, unavailable, message: "an object is used where its context is; pass its identity on")
            nonisolated extension Event: Swift.Sendable {}
            """)
    }

    @Test func `A class that inherits from a model is expanded`() {
        expectExpansion(
            """
            @Model(inherits: Event.self, as: "PushEvent")
            public final class PushEvent: Event {
                var repository: Repository?
            }
            """,
            """
            public final class PushEvent: Event {
                var repository: Repository? {
                    get {
                        _object.value(ofOwn: Self.ownProperties.repository)
                    }
                    set {
                        _object.set(own: Self.ownProperties.repository, to: newValue)
                    }
                }

                nonisolated var $repository: RestfulData.Relationship<PushEvent, Repository?> {
                    RestfulData.Relationship(of: self, Self.ownProperties.repository)
                }

                nonisolated public struct OwnProperties: Sendable {
                    let repository = RestfulData.Declaration<PushEvent>.property(0, "repository", Repository?.self)
                    public static let _description = RestfulData.ModelDescription(
                        PushEvent.self, "PushEvent", RestfulData.ModelOptions(inherits: Event.self, as: "PushEvent"),
                        [PushEvent.ownProperties.repository])
                }

                nonisolated public static let ownProperties = OwnProperties()

                nonisolated public override class var modelDescription: RestfulData.ModelDescription {
                    OwnProperties._description
                }

                nonisolated public override init(in context: RestfulData.ObjectContext) {
                    super.init(_object: RestfulData.ObjectState(insertingInto: context, PushEvent.self))
                    _object.register(self)
                }

                nonisolated public required init(_object: RestfulData.ObjectState) {
                    super.init(_object: _object)
                }
            }

            nonisolated extension PushEvent: RestfulData.Submodel {}
            """)
    }
}
