import Testing

/// The models that the documentation begins with, whole.
@Suite struct DesignedModelExpansionTests {
    @Test func `An internal class of users is expanded`() {
        expectExpansion(
            """
            @Model
            final class User {
                var identifier: Int?
                /// The name in URLs.
                var login = ""
                var avatarURL: URL?
                @Relationship("/users/:login/repos", inverse: "owner")
                var repositories: [Repository]
            }
            """,
            """
            final class User {
                var identifier: Int? {
                    get {
                        _object.optionalInteger(of: Self.properties.identifier, at: 0)
                    }
                    set {
                        _object.setOptionalInteger(newValue, of: Self.properties.identifier, at: 0, in: self)
                    }
                }
                /// The name in URLs.
                var login {
                    get {
                        _object.text(of: Self.properties.login, at: 1)
                    }
                    set {
                        _object.setText(newValue, of: Self.properties.login, at: 1, in: self)
                    }
                }
                var avatarURL: URL? {
                    get {
                        Self.properties.avatarURL.value(in: _object)
                    }
                    set {
                        Self.properties.avatarURL.set(newValue, in: _object)
                    }
                }
                var repositories: [Repository] {
                    get {
                        _object.value(of: Self.properties.repositories, at: 3)
                    }
                    set {
                        _object.set(Self.properties.repositories, at: 3, to: newValue)
                    }
                    _modify {
                        var members = _object.valueToEdit(of: Self.properties.repositories)
                        defer {
                            _object.edit(Self.properties.repositories, to: members)
                        }
                        yield &members
                    }
                }

                nonisolated var $repositories: RestfulData.Relationship<User, [Repository]> {
                    RestfulData.Relationship(of: self, Self.properties.repositories)
                }

                nonisolated struct Properties: Sendable {
                    let identifier = RestfulData.Declaration<User>.optionalAttribute(0, "identifier", Int?.self)
                    let login = RestfulData.Declaration<User>.constantAttribute(1, "login", Swift.String.self, default: "")
                    let avatarURL = RestfulData.Declaration<User>.property(2, "avatarURL", URL?.self)
                    let repositories = RestfulData.Declaration<User>.property(3, "repositories", [Repository].self, RestfulData.RelationshipOptions("/users/:login/repos", inverse: "owner"))
                }

                nonisolated static let properties = Properties()

                nonisolated static let modelDescription = RestfulData.ModelDescription(
                    User.self, "User", RestfulData.ModelOptions(),
                    [properties.identifier, properties.login, properties.avatarURL, properties.repositories])

                @safe nonisolated(unsafe) let _object: RestfulData.ObjectState

                nonisolated init(in context: RestfulData.ObjectContext) {
                    _object = RestfulData.ObjectState(insertingInto: context, User.self)
                    _object.register(self)
                }

                nonisolated init(_object: RestfulData.ObjectState) {
                    self._object = _object
                }
            }

            nonisolated extension User: RestfulData.Model {}

            @available(*, unavailable, message: "an object is used where its context is; pass its identity on")
            nonisolated extension User: Swift.Sendable {}
            """)
    }

    @Test func `A public class of users is expanded`() {
        expectExpansion(
            """
            @Model
            public final class User {
                public var identifier: Int?
                public private(set) var login = ""
                var avatarURL: URL?
                @Relationship("/users/:login/repos", inverse: "owner")
                public var repositories: [Repository]
            }
            """,
            """
            public final class User {
                public var identifier: Int? {
                    get {
                        _object.optionalInteger(of: Self.properties.identifier, at: 0)
                    }
                    set {
                        _object.setOptionalInteger(newValue, of: Self.properties.identifier, at: 0, in: self)
                    }
                }
                public private(set) var login {
                    get {
                        _object.text(of: Self.properties.login, at: 1)
                    }
                    set {
                        _object.setText(newValue, of: Self.properties.login, at: 1, in: self)
                    }
                }
                var avatarURL: URL? {
                    get {
                        Self.properties.avatarURL.value(in: _object)
                    }
                    set {
                        Self.properties.avatarURL.set(newValue, in: _object)
                    }
                }
                public var repositories: [Repository] {
                    get {
                        _object.value(of: Self.properties.repositories, at: 3)
                    }
                    set {
                        _object.set(Self.properties.repositories, at: 3, to: newValue)
                    }
                    _modify {
                        var members = _object.valueToEdit(of: Self.properties.repositories)
                        defer {
                            _object.edit(Self.properties.repositories, to: members)
                        }
                        yield &members
                    }
                }

                nonisolated public var $repositories: RestfulData.Relationship<User, [Repository]> {
                    RestfulData.Relationship(of: self, Self.properties.repositories)
                }

                nonisolated public struct Properties: Sendable {
                    public let identifier = RestfulData.Declaration<User>.optionalAttribute(0, "identifier", Int?.self)
                    public let login = RestfulData.Declaration<User>.constantAttribute(1, "login", Swift.String.self, default: "")
                    let avatarURL = RestfulData.Declaration<User>.property(2, "avatarURL", URL?.self)
                    public let repositories = RestfulData.Declaration<User>.property(3, "repositories", [Repository].self, RestfulData.RelationshipOptions("/users/:login/repos", inverse: "owner"))
                }

                nonisolated public static let properties = Properties()

                nonisolated public static let modelDescription = RestfulData.ModelDescription(
                    User.self, "User", RestfulData.ModelOptions(),
                    [properties.identifier, properties.login, properties.avatarURL, properties.repositories])

                @safe nonisolated(unsafe) public let _object: RestfulData.ObjectState

                nonisolated public init(in context: RestfulData.ObjectContext) {
                    _object = RestfulData.ObjectState(insertingInto: context, User.self)
                    _object.register(self)
                }

                nonisolated public init(_object: RestfulData.ObjectState) {
                    self._object = _object
                }
            }

            nonisolated extension User: RestfulData.Model {}

            @available(*, unavailable, message: "an object is used where its context is; pass its identity on")
            nonisolated extension User: Swift.Sendable {}
            """)
    }

    @Test func `An internal class of issues is expanded`() {
        expectExpansion(
            """
            @Model("/repos/:repository.full_name/issues", key: "number")
            final class Issue {
                enum State: String {
                    case open, closed
                }
                var identifier: Int?
                var number: Int?
                var title = ""
                var state: State = .open
                @Attribute("description") var summary: String?
                var user: User?
                @Relationship(sentAs: .key("name")) var labels: [Label]
                var repository: Repository?
            }
            """,
            """
            final class Issue {
                enum State: String {
                    case open, closed
                }
                var identifier: Int? {
                    get {
                        _object.optionalInteger(of: Self.properties.identifier, at: 0)
                    }
                    set {
                        _object.setOptionalInteger(newValue, of: Self.properties.identifier, at: 0, in: self)
                    }
                }
                var number: Int? {
                    get {
                        _object.optionalInteger(of: Self.properties.number, at: 1)
                    }
                    set {
                        _object.setOptionalInteger(newValue, of: Self.properties.number, at: 1, in: self)
                    }
                }
                var title {
                    get {
                        _object.text(of: Self.properties.title, at: 2)
                    }
                    set {
                        _object.setText(newValue, of: Self.properties.title, at: 2, in: self)
                    }
                }
                var state: State {
                    get {
                        _object.value(of: Self.properties.state, at: 3)
                    }
                    set {
                        _object.set(Self.properties.state, at: 3, to: newValue)
                    }
                }
                var summary: String? {
                    get {
                        _object.optionalText(of: Self.properties.summary, at: 4)
                    }
                    set {
                        _object.setOptionalText(newValue, of: Self.properties.summary, at: 4, in: self)
                    }
                }
                var user: User? {
                    get {
                        _object.value(of: Self.properties.user, at: 5)
                    }
                    set {
                        _object.set(Self.properties.user, at: 5, to: newValue)
                    }
                }

                nonisolated var $user: RestfulData.Relationship<Issue, User?> {
                    RestfulData.Relationship(of: self, Self.properties.user)
                }
                var labels: [Label] {
                    get {
                        _object.value(of: Self.properties.labels, at: 6)
                    }
                    set {
                        _object.set(Self.properties.labels, at: 6, to: newValue)
                    }
                    _modify {
                        var members = _object.valueToEdit(of: Self.properties.labels)
                        defer {
                            _object.edit(Self.properties.labels, to: members)
                        }
                        yield &members
                    }
                }

                nonisolated var $labels: RestfulData.Relationship<Issue, [Label]> {
                    RestfulData.Relationship(of: self, Self.properties.labels)
                }
                var repository: Repository? {
                    get {
                        _object.value(of: Self.properties.repository, at: 7)
                    }
                    set {
                        _object.set(Self.properties.repository, at: 7, to: newValue)
                    }
                }

                nonisolated var $repository: RestfulData.Relationship<Issue, Repository?> {
                    RestfulData.Relationship(of: self, Self.properties.repository)
                }

                nonisolated struct Properties: Sendable {
                    let identifier = RestfulData.Declaration<Issue>.optionalAttribute(0, "identifier", Int?.self)
                    let number = RestfulData.Declaration<Issue>.optionalAttribute(1, "number", Int?.self)
                    let title = RestfulData.Declaration<Issue>.constantAttribute(2, "title", Swift.String.self, default: "")
                    let state = RestfulData.Declaration<Issue>.property(3, "state", State.self, default: .open)
                    let summary = RestfulData.Declaration<Issue>.optionalAttribute(4, "summary", String?.self, RestfulData.AttributeOptions("description"))
                    let user = RestfulData.Declaration<Issue>.property(5, "user", User?.self)
                    let labels = RestfulData.Declaration<Issue>.property(6, "labels", [Label].self, RestfulData.RelationshipOptions(sentAs: .key("name")))
                    let repository = RestfulData.Declaration<Issue>.property(7, "repository", Repository?.self)
                }

                nonisolated static let properties = Properties()

                nonisolated static let modelDescription = RestfulData.ModelDescription(
                    Issue.self, "Issue", RestfulData.ModelOptions("/repos/:repository.full_name/issues", key: "number"),
                    [properties.identifier, properties.number, properties.title, properties.state, properties.summary, properties.user, properties.labels, properties.repository])

                @safe nonisolated(unsafe) let _object: RestfulData.ObjectState

                nonisolated init(in context: RestfulData.ObjectContext) {
                    _object = RestfulData.ObjectState(insertingInto: context, Issue.self)
                    _object.register(self)
                }

                nonisolated init(_object: RestfulData.ObjectState) {
                    self._object = _object
                }
            }

            nonisolated extension Issue: RestfulData.Model {}

            @available(*, unavailable, message: "an object is used where its context is; pass its identity on")
            nonisolated extension Issue: Swift.Sendable {}
            """)
    }

    @Test func `A public class of issues is expanded`() {
        expectExpansion(
            """
            @Model("/repos/:repository.full_name/issues", key: "number")
            public final class Issue {
                public enum State: String, Sendable {
                    case open, closed
                }
                public var identifier: Int?
                public var number: Int?
                public var title = ""
                public var state: State = .open
                @Attribute("description") public var summary: String?
                public var user: User?
                @Relationship(sentAs: .key("name")) public var labels: [Label]
                public var repository: Repository?
            }
            """,
            """
            public final class Issue {
                public enum State: String, Sendable {
                    case open, closed
                }
                public var identifier: Int? {
                    get {
                        _object.optionalInteger(of: Self.properties.identifier, at: 0)
                    }
                    set {
                        _object.setOptionalInteger(newValue, of: Self.properties.identifier, at: 0, in: self)
                    }
                }
                public var number: Int? {
                    get {
                        _object.optionalInteger(of: Self.properties.number, at: 1)
                    }
                    set {
                        _object.setOptionalInteger(newValue, of: Self.properties.number, at: 1, in: self)
                    }
                }
                public var title {
                    get {
                        _object.text(of: Self.properties.title, at: 2)
                    }
                    set {
                        _object.setText(newValue, of: Self.properties.title, at: 2, in: self)
                    }
                }
                public var state: State {
                    get {
                        _object.value(of: Self.properties.state, at: 3)
                    }
                    set {
                        _object.set(Self.properties.state, at: 3, to: newValue)
                    }
                }
                public var summary: String? {
                    get {
                        _object.optionalText(of: Self.properties.summary, at: 4)
                    }
                    set {
                        _object.setOptionalText(newValue, of: Self.properties.summary, at: 4, in: self)
                    }
                }
                public var user: User? {
                    get {
                        _object.value(of: Self.properties.user, at: 5)
                    }
                    set {
                        _object.set(Self.properties.user, at: 5, to: newValue)
                    }
                }

                nonisolated public var $user: RestfulData.Relationship<Issue, User?> {
                    RestfulData.Relationship(of: self, Self.properties.user)
                }
                public var labels: [Label] {
                    get {
                        _object.value(of: Self.properties.labels, at: 6)
                    }
                    set {
                        _object.set(Self.properties.labels, at: 6, to: newValue)
                    }
                    _modify {
                        var members = _object.valueToEdit(of: Self.properties.labels)
                        defer {
                            _object.edit(Self.properties.labels, to: members)
                        }
                        yield &members
                    }
                }

                nonisolated public var $labels: RestfulData.Relationship<Issue, [Label]> {
                    RestfulData.Relationship(of: self, Self.properties.labels)
                }
                public var repository: Repository? {
                    get {
                        _object.value(of: Self.properties.repository, at: 7)
                    }
                    set {
                        _object.set(Self.properties.repository, at: 7, to: newValue)
                    }
                }

                nonisolated public var $repository: RestfulData.Relationship<Issue, Repository?> {
                    RestfulData.Relationship(of: self, Self.properties.repository)
                }

                nonisolated public struct Properties: Sendable {
                    public let identifier = RestfulData.Declaration<Issue>.optionalAttribute(0, "identifier", Int?.self)
                    public let number = RestfulData.Declaration<Issue>.optionalAttribute(1, "number", Int?.self)
                    public let title = RestfulData.Declaration<Issue>.constantAttribute(2, "title", Swift.String.self, default: "")
                    public let state = RestfulData.Declaration<Issue>.property(3, "state", State.self, default: .open)
                    public let summary = RestfulData.Declaration<Issue>.optionalAttribute(4, "summary", String?.self, RestfulData.AttributeOptions("description"))
                    public let user = RestfulData.Declaration<Issue>.property(5, "user", User?.self)
                    public let labels = RestfulData.Declaration<Issue>.property(6, "labels", [Label].self, RestfulData.RelationshipOptions(sentAs: .key("name")))
                    public let repository = RestfulData.Declaration<Issue>.property(7, "repository", Repository?.self)
                }

                nonisolated public static let properties = Properties()

                nonisolated public static let modelDescription = RestfulData.ModelDescription(
                    Issue.self, "Issue", RestfulData.ModelOptions("/repos/:repository.full_name/issues", key: "number"),
                    [properties.identifier, properties.number, properties.title, properties.state, properties.summary, properties.user, properties.labels, properties.repository])

                @safe nonisolated(unsafe) public let _object: RestfulData.ObjectState

                nonisolated public init(in context: RestfulData.ObjectContext) {
                    _object = RestfulData.ObjectState(insertingInto: context, Issue.self)
                    _object.register(self)
                }

                nonisolated public init(_object: RestfulData.ObjectState) {
                    self._object = _object
                }
            }

            nonisolated extension Issue: RestfulData.Model {}

            @available(*, unavailable, message: "an object is used where its context is; pass its identity on")
            nonisolated extension Issue: Swift.Sendable {}
            """)
    }
}
