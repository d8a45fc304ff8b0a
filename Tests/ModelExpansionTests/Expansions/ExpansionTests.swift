import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Other features of a class.
@Suite struct ExpansionTests {
    @Test func `A private class is expanded with its own access`() {
        expectExpansion(
            """
            @Model
            private final class User {
                var identifier: Int?
                private var owner: User?
            }
            """,
            """
            private final class User {
                var identifier: Int? {
                    get {
                        _object.optionalInteger(of: Self.properties.identifier, at: 0)
                    }
                    set {
                        _object.setOptionalInteger(newValue, of: Self.properties.identifier, at: 0, in: self)
                    }
                }
                private var owner: User? {
                    get {
                        _object.value(of: Self.properties.owner, at: 1)
                    }
                    set {
                        _object.set(Self.properties.owner, at: 1, to: newValue)
                    }
                }

                nonisolated fileprivate var $owner: RestfulData.Relationship<User, User?> {
                    RestfulData.Relationship(of: self, Self.properties.owner)
                }

                nonisolated fileprivate struct Properties: Sendable {
                    let identifier = RestfulData.Declaration<User>.optionalAttribute(0, "identifier", Int?.self)
                    fileprivate let owner = RestfulData.Declaration<User>.property(1, "owner", User?.self)
                }

                nonisolated fileprivate static let properties = Properties()

                nonisolated fileprivate static let modelDescription = RestfulData.ModelDescription(
                    User.self, "User", RestfulData.ModelOptions(),
                    [properties.identifier, properties.owner])

                @safe nonisolated(unsafe) fileprivate let _object: RestfulData.ObjectState

                nonisolated fileprivate init(in context: RestfulData.ObjectContext) {
                    _object = RestfulData.ObjectState(insertingInto: context, User.self)
                    _object.register(self)
                }

                nonisolated fileprivate init(_object: RestfulData.ObjectState) {
                    self._object = _object
                }
            }

            nonisolated extension User: RestfulData.Model {}

            @available(*, unavailable, message: "an object is used where its context is; pass its identity on")
            nonisolated extension User: Swift.Sendable {}
            """)
    }

    @Test func `A package class is expanded with its own access`() {
        expectExpansion(
            """
            @Model
            package final class User {
                package var identifier: Int?
                fileprivate var owner: User?
            }
            """,
            """
            package final class User {
                package var identifier: Int? {
                    get {
                        _object.optionalInteger(of: Self.properties.identifier, at: 0)
                    }
                    set {
                        _object.setOptionalInteger(newValue, of: Self.properties.identifier, at: 0, in: self)
                    }
                }
                fileprivate var owner: User? {
                    get {
                        _object.value(of: Self.properties.owner, at: 1)
                    }
                    set {
                        _object.set(Self.properties.owner, at: 1, to: newValue)
                    }
                }

                nonisolated fileprivate var $owner: RestfulData.Relationship<User, User?> {
                    RestfulData.Relationship(of: self, Self.properties.owner)
                }

                nonisolated package struct Properties: Sendable {
                    package let identifier = RestfulData.Declaration<User>.optionalAttribute(0, "identifier", Int?.self)
                    fileprivate let owner = RestfulData.Declaration<User>.property(1, "owner", User?.self)
                }

                nonisolated package static let properties = Properties()

                nonisolated package static let modelDescription = RestfulData.ModelDescription(
                    User.self, "User", RestfulData.ModelOptions(),
                    [properties.identifier, properties.owner])

                @safe nonisolated(unsafe) package let _object: RestfulData.ObjectState

                nonisolated package init(in context: RestfulData.ObjectContext) {
                    _object = RestfulData.ObjectState(insertingInto: context, User.self)
                    _object.register(self)
                }

                nonisolated package init(_object: RestfulData.ObjectState) {
                    self._object = _object
                }
            }

            nonisolated extension User: RestfulData.Model {}

            @available(*, unavailable, message: "an object is used where its context is; pass its identity on")
            nonisolated extension User: Swift.Sendable {}
            """)
    }

    @Test func `Names in backticks keep them in the expansion`() {
        expectExpansion(
            """
            @Model
            final class `Type` {
                var identifier: Int?
                var `default` = false
                var `private`: [`Type`]
            }
            """,
            """
            final class `Type` {
                var identifier: Int? {
                    get {
                        _object.optionalInteger(of: Self.properties.identifier, at: 0)
                    }
                    set {
                        _object.setOptionalInteger(newValue, of: Self.properties.identifier, at: 0, in: self)
                    }
                }
                var `default` {
                    get {
                        _object.boolean(of: Self.properties.`default`, at: 1)
                    }
                    set {
                        _object.setBoolean(newValue, of: Self.properties.`default`, at: 1, in: self)
                    }
                }
                var `private`: [`Type`] {
                    get {
                        _object.value(of: Self.properties.`private`, at: 2)
                    }
                    set {
                        _object.set(Self.properties.`private`, at: 2, to: newValue)
                    }
                    _modify {
                        var members = _object.valueToEdit(of: Self.properties.`private`)
                        defer {
                            _object.edit(Self.properties.`private`, to: members)
                        }
                        yield &members
                    }
                }

                nonisolated var `$private`: RestfulData.Relationship<`Type`, [`Type`]> {
                    RestfulData.Relationship(of: self, Self.properties.`private`)
                }

                nonisolated struct Properties: Sendable {
                    let identifier = RestfulData.Declaration<`Type`>.optionalAttribute(0, "identifier", Int?.self)
                    let `default` = RestfulData.Declaration<`Type`>.constantAttribute(1, "default", Swift.Bool.self, default: false)
                    let `private` = RestfulData.Declaration<`Type`>.property(2, "private", [`Type`].self)
                }

                nonisolated static let properties = Properties()

                nonisolated static let modelDescription = RestfulData.ModelDescription(
                    `Type`.self, "Type", RestfulData.ModelOptions(),
                    [properties.identifier, properties.`default`, properties.`private`])

                @safe nonisolated(unsafe) let _object: RestfulData.ObjectState

                nonisolated init(in context: RestfulData.ObjectContext) {
                    _object = RestfulData.ObjectState(insertingInto: context, `Type`.self)
                    _object.register(self)
                }

                nonisolated init(_object: RestfulData.ObjectState) {
                    self._object = _object
                }
            }

            nonisolated extension `Type`: RestfulData.Model {}

            @available(*, unavailable, message: "an object is used where its context is; pass its identity on")
            nonisolated extension `Type`: Swift.Sendable {}
            """)
    }

    @Test func `Self in arguments and defaults is kept in the expansion`() {
        expectExpansion(
            #"""
            @Model("/\(Self.root)/:id")
            final class Node {
                static let start = 1
                var identifier: Int?
                var position = Self.start
                @Relationship(Self.route) var parent: Node?
            }
            """#,
            #"""
            final class Node {
                static let start = 1
                var identifier: Int? {
                    get {
                        _object.optionalInteger(of: Self.properties.identifier, at: 0)
                    }
                    set {
                        _object.setOptionalInteger(newValue, of: Self.properties.identifier, at: 0, in: self)
                    }
                }
                var position {
                    get {
                        _object.value(of: Self.properties.position, at: 1)
                    }
                    set {
                        _object.set(Self.properties.position, at: 1, to: newValue)
                    }
                }
                var parent: Node? {
                    get {
                        _object.value(of: Self.properties.parent, at: 2)
                    }
                    set {
                        _object.set(Self.properties.parent, at: 2, to: newValue)
                    }
                }

                nonisolated var $parent: RestfulData.Relationship<Node, Node?> {
                    RestfulData.Relationship(of: self, Self.properties.parent)
                }

                nonisolated struct Properties: Sendable {
                    let identifier = RestfulData.Declaration<Node>.optionalAttribute(0, "identifier", Int?.self)
                    let position = RestfulData.Declaration<Node>.property(1, "position", default: Node.start)
                    let parent = RestfulData.Declaration<Node>.property(2, "parent", Node?.self, RestfulData.RelationshipOptions(Node.route))
                }

                nonisolated static let properties = Properties()

                nonisolated static let modelDescription = RestfulData.ModelDescription(
                    Node.self, "Node", RestfulData.ModelOptions("/\(Node.root)/:id"),
                    [properties.identifier, properties.position, properties.parent])

                @safe nonisolated(unsafe) let _object: RestfulData.ObjectState

                nonisolated init(in context: RestfulData.ObjectContext) {
                    _object = RestfulData.ObjectState(insertingInto: context, Node.self)
                    _object.register(self)
                }

                nonisolated init(_object: RestfulData.ObjectState) {
                    self._object = _object
                }
            }

            nonisolated extension Node: RestfulData.Model {}

            @available(*, unavailable, message: "an object is used where its context is; pass its identity on")
            nonisolated extension Node: Swift.Sendable {}
            """#)
    }

    @Test func `Properties with default values are expanded`() {
        expectExpansion(
            """
            @Model
            final class Issue {
                enum State: String {
                    case open
                }
                var identifier: Int? = nil
                var nickname: String? = "x"
                var token = UUID()
                var state = State.open
                var previous: State? = nil
                var owner: User? = nil
                @Relationship var assignees: [User] = []
                var reviewers: [User] = []
                var followers = [User]()
                var tags: [String] = []
                var notes = [String]()
                var counts: [String: Int] = [:]
            }
            """,
            """
            final class Issue {
                enum State: String {
                    case open
                }
                var identifier: Int? {
                    get {
                        _object.optionalInteger(of: Self.properties.identifier, at: 0)
                    }
                    set {
                        _object.setOptionalInteger(newValue, of: Self.properties.identifier, at: 0, in: self)
                    }
                }
                var nickname: String? {
                    get {
                        _object.optionalText(of: Self.properties.nickname, at: 1)
                    }
                    set {
                        _object.setOptionalText(newValue, of: Self.properties.nickname, at: 1, in: self)
                    }
                }
                var token {
                    get {
                        _object.value(of: Self.properties.token, at: 2)
                    }
                    set {
                        _object.set(Self.properties.token, at: 2, to: newValue)
                    }
                }
                var state {
                    get {
                        _object.value(of: Self.properties.state, at: 3)
                    }
                    set {
                        _object.set(Self.properties.state, at: 3, to: newValue)
                    }
                }
                var previous: State? {
                    get {
                        _object.value(of: Self.properties.previous, at: 4)
                    }
                    set {
                        _object.set(Self.properties.previous, at: 4, to: newValue)
                    }
                }

                nonisolated var $previous: RestfulData.Relationship<Issue, State?> {
                    RestfulData.Relationship(of: self, Self.properties.previous)
                }
                var owner: User? {
                    get {
                        _object.value(of: Self.properties.owner, at: 5)
                    }
                    set {
                        _object.set(Self.properties.owner, at: 5, to: newValue)
                    }
                }

                nonisolated var $owner: RestfulData.Relationship<Issue, User?> {
                    RestfulData.Relationship(of: self, Self.properties.owner)
                }
                var assignees: [User] {
                    get {
                        _object.value(of: Self.properties.assignees, at: 6)
                    }
                    set {
                        _object.set(Self.properties.assignees, at: 6, to: newValue)
                    }
                    _modify {
                        var members = _object.valueToEdit(of: Self.properties.assignees)
                        defer {
                            _object.edit(Self.properties.assignees, to: members)
                        }
                        yield &members
                    }
                }

                nonisolated var $assignees: RestfulData.Relationship<Issue, [User]> {
                    RestfulData.Relationship(of: self, Self.properties.assignees)
                }
                var reviewers: [User] {
                    get {
                        _object.value(of: Self.properties.reviewers, at: 7)
                    }
                    set {
                        _object.set(Self.properties.reviewers, at: 7, to: newValue)
                    }
                    _modify {
                        var members = _object.valueToEdit(of: Self.properties.reviewers)
                        defer {
                            _object.edit(Self.properties.reviewers, to: members)
                        }
                        yield &members
                    }
                }

                nonisolated var $reviewers: RestfulData.Relationship<Issue, [User]> {
                    RestfulData.Relationship(of: self, Self.properties.reviewers)
                }
                var followers {
                    get {
                        _object.value(of: Self.properties.followers, at: 8)
                    }
                    set {
                        _object.set(Self.properties.followers, at: 8, to: newValue)
                    }
                    _modify {
                        var members = _object.valueToEdit(of: Self.properties.followers)
                        defer {
                            _object.edit(Self.properties.followers, to: members)
                        }
                        yield &members
                    }
                }

                nonisolated var $followers: RestfulData.Relationship<Issue, [User]> {
                    RestfulData.Relationship(of: self, Self.properties.followers)
                }
                var tags: [String] {
                    get {
                        Self.properties.tags.value(in: _object)
                    }
                    set {
                        Self.properties.tags.set(newValue, in: _object)
                    }
                }
                var notes {
                    get {
                        _object.value(of: Self.properties.notes, at: 10)
                    }
                    set {
                        _object.set(Self.properties.notes, at: 10, to: newValue)
                    }
                }
                var counts: [String: Int] {
                    get {
                        Self.properties.counts.value(in: _object)
                    }
                    set {
                        Self.properties.counts.set(newValue, in: _object)
                    }
                }

                nonisolated struct Properties: Sendable {
                    let identifier = RestfulData.Declaration<Issue>.optionalAttribute(0, "identifier", Int?.self)
                    let nickname = RestfulData.Declaration<Issue>.optionalAttribute(1, "nickname", String?.self, default: "x")
                    let token = RestfulData.Declaration<Issue>.property(2, "token", default: UUID())
                    let state = RestfulData.Declaration<Issue>.property(3, "state", default: State.open)
                    let previous = RestfulData.Declaration<Issue>.property(4, "previous", State?.self)
                    let owner = RestfulData.Declaration<Issue>.property(5, "owner", User?.self)
                    let assignees = RestfulData.Declaration<Issue>.property(6, "assignees", [User].self, RestfulData.RelationshipOptions())
                    let reviewers = RestfulData.Declaration<Issue>.property(7, "reviewers", [User].self, default: [])
                    let followers = RestfulData.Declaration<Issue>.property(8, "followers", default: [User]())
                    let tags = RestfulData.Declaration<Issue>.attribute(9, "tags", [String].self, default: [])
                    let notes = RestfulData.Declaration<Issue>.property(10, "notes", default: [String]())
                    let counts = RestfulData.Declaration<Issue>.property(11, "counts", [String: Int].self, default: [:])
                }

                nonisolated static let properties = Properties()

                nonisolated static let modelDescription = RestfulData.ModelDescription(
                    Issue.self, "Issue", RestfulData.ModelOptions(),
                    [properties.identifier, properties.nickname, properties.token, properties.state, properties.previous, properties.owner, properties.assignees, properties.reviewers, properties.followers, properties.tags, properties.notes, properties.counts])

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

    @Test func `Other spellings of types are recognized`() {
        expectExpansion(
            """
            @Model
            final class Issue {
                var identifier: Optional<Int>
                var owner: Optional<User>
                var labels: Array<Label>
                var origin: GitHub.Origin?
                var created: Foundation.Date?
                var shape: (any Shape)?
                var names: Set<String> = []
            }
            """,
            """
            final class Issue {
                var identifier: Optional<Int> {
                    get {
                        _object.optionalInteger(of: Self.properties.identifier, at: 0)
                    }
                    set {
                        _object.setOptionalInteger(newValue, of: Self.properties.identifier, at: 0, in: self)
                    }
                }
                var owner: Optional<User> {
                    get {
                        _object.value(of: Self.properties.owner, at: 1)
                    }
                    set {
                        _object.set(Self.properties.owner, at: 1, to: newValue)
                    }
                }

                nonisolated var $owner: RestfulData.Relationship<Issue, Optional<User>> {
                    RestfulData.Relationship(of: self, Self.properties.owner)
                }
                var labels: Array<Label> {
                    get {
                        _object.value(of: Self.properties.labels, at: 2)
                    }
                    set {
                        _object.set(Self.properties.labels, at: 2, to: newValue)
                    }
                    _modify {
                        var members = _object.valueToEdit(of: Self.properties.labels)
                        defer {
                            _object.edit(Self.properties.labels, to: members)
                        }
                        yield &members
                    }
                }

                nonisolated var $labels: RestfulData.Relationship<Issue, Array<Label>> {
                    RestfulData.Relationship(of: self, Self.properties.labels)
                }
                var origin: GitHub.Origin? {
                    get {
                        _object.value(of: Self.properties.origin, at: 3)
                    }
                    set {
                        _object.set(Self.properties.origin, at: 3, to: newValue)
                    }
                }

                nonisolated var $origin: RestfulData.Relationship<Issue, GitHub.Origin?> {
                    RestfulData.Relationship(of: self, Self.properties.origin)
                }
                var created: Foundation.Date? {
                    get {
                        Self.properties.created.value(in: _object)
                    }
                    set {
                        Self.properties.created.set(newValue, in: _object)
                    }
                }
                var shape: (any Shape)? {
                    get {
                        _object.value(of: Self.properties.shape, at: 5)
                    }
                    set {
                        _object.set(Self.properties.shape, at: 5, to: newValue)
                    }
                }
                var names: Set<String> {
                    get {
                        Self.properties.names.value(in: _object)
                    }
                    set {
                        Self.properties.names.set(newValue, in: _object)
                    }
                }

                nonisolated struct Properties: Sendable {
                    let identifier = RestfulData.Declaration<Issue>.optionalAttribute(0, "identifier", Optional<Int>.self)
                    let owner = RestfulData.Declaration<Issue>.property(1, "owner", Optional<User>.self)
                    let labels = RestfulData.Declaration<Issue>.property(2, "labels", Array<Label>.self)
                    let origin = RestfulData.Declaration<Issue>.property(3, "origin", GitHub.Origin?.self)
                    let created = RestfulData.Declaration<Issue>.property(4, "created", Foundation.Date?.self)
                    let shape = RestfulData.Declaration<Issue>.property(5, "shape", (any Shape)?.self)
                    let names = RestfulData.Declaration<Issue>.property(6, "names", Set<String>.self, default: [])
                }

                nonisolated static let properties = Properties()

                nonisolated static let modelDescription = RestfulData.ModelDescription(
                    Issue.self, "Issue", RestfulData.ModelOptions(),
                    [properties.identifier, properties.owner, properties.labels, properties.origin, properties.created, properties.shape, properties.names])

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

    @Test func `Members that aren't modelled stay unchanged`() {
        expectExpansion(
            """
            @Model
            final class Issue: CustomStringConvertible, Model {
                var identifier: Int?
                @Transient var cache: [String: Int] = [:]
                @Transient let made = 1
                static var count = 0
                #if DEBUG
                func trace() {
                }
                #endif
                var description: String {
                    "issue"
                }
                convenience init(title: String, in context: ObjectContext) {
                    self.init(in: context)
                }
            }
            """,
            """
            final class Issue: CustomStringConvertible, Model {
                var identifier: Int? {
                    get {
                        _object.optionalInteger(of: Self.properties.identifier, at: 0)
                    }
                    set {
                        _object.setOptionalInteger(newValue, of: Self.properties.identifier, at: 0, in: self)
                    }
                }
                var cache: [String: Int] = [:]
                let made = 1
                static var count = 0
                #if DEBUG
                func trace() {
                }
                #endif
                var description: String {
                    "issue"
                }
                convenience init(title: String, in context: ObjectContext) {
                    self.init(in: context)
                }

                nonisolated struct Properties: Sendable {
                    let identifier = RestfulData.Declaration<Issue>.optionalAttribute(0, "identifier", Int?.self)
                }

                nonisolated static let properties = Properties()

                nonisolated static let modelDescription = RestfulData.ModelDescription(
                    Issue.self, "Issue", RestfulData.ModelOptions(),
                    [properties.identifier])

                @safe nonisolated(unsafe) let _object: RestfulData.ObjectState

                nonisolated convenience init(in context: RestfulData.ObjectContext) {
                    self.init(_object: RestfulData.ObjectState(insertingInto: context, Issue.self))
                    _object.register(self)
                }

                nonisolated init(_object: RestfulData.ObjectState) {
                    self._object = _object
                }
            }

            @available(*, unavailable, message: "an object is used where its context is; pass its identity on")
            nonisolated extension Issue: Swift.Sendable {}
            """)
    }

    @Test func `Arguments are copied into the expansion unchanged`() {
        expectExpansion(
            """
            @Model(
                "/issues",
                identity: "number", "repository",  // both
                table: "issues"
            )
            final class Issue {
                var number: Int?
                @RestfulData.Attribute("head.sha", access: .readOnly, renamedFrom: "sha")
                var headSHA: String?
                @Attribute var origin: Origin?
                @Relationship(inverse: nil, merges: true, owns: true)
                var repository: Repository?
            }
            """,
            """
            final class Issue {
                var number: Int? {
                    get {
                        _object.optionalInteger(of: Self.properties.number, at: 0)
                    }
                    set {
                        _object.setOptionalInteger(newValue, of: Self.properties.number, at: 0, in: self)
                    }
                }
                @RestfulData.Attribute("head.sha", access: .readOnly, renamedFrom: "sha")
                var headSHA: String? {
                    get {
                        _object.optionalText(of: Self.properties.headSHA, at: 1)
                    }
                    set {
                        _object.setOptionalText(newValue, of: Self.properties.headSHA, at: 1, in: self)
                    }
                }
                var origin: Origin? {
                    get {
                        _object.value(of: Self.properties.origin, at: 2)
                    }
                    set {
                        _object.set(Self.properties.origin, at: 2, to: newValue)
                    }
                }
                var repository: Repository? {
                    get {
                        _object.value(of: Self.properties.repository, at: 3)
                    }
                    set {
                        _object.set(Self.properties.repository, at: 3, to: newValue)
                    }
                }

                nonisolated var $repository: RestfulData.Relationship<Issue, Repository?> {
                    RestfulData.Relationship(of: self, Self.properties.repository)
                }

                nonisolated struct Properties: Sendable {
                    let number = RestfulData.Declaration<Issue>.optionalAttribute(0, "number", Int?.self)
                    let headSHA = RestfulData.Declaration<Issue>.optionalAttribute(1, "headSHA", String?.self, RestfulData.AttributeOptions("head.sha", access: .readOnly, renamedFrom: "sha"))
                    let origin = RestfulData.Declaration<Issue>.property(2, "origin", Origin?.self, RestfulData.AttributeOptions())
                    let repository = RestfulData.Declaration<Issue>.property(3, "repository", Repository?.self, RestfulData.RelationshipOptions(inverse: nil, merges: true, owns: true))
                }

                nonisolated static let properties = Properties()

                nonisolated static let modelDescription = RestfulData.ModelDescription(
                    Issue.self, "Issue", RestfulData.ModelOptions("/issues",
                    identity: "number", "repository",  // both
                    table: "issues"),
                    [properties.number, properties.headSHA, properties.origin, properties.repository])

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

    @Test func `Only a faulty property is left out of the expansion`() {
        expectExpansion(
            """
            @Model
            final class Issue {
                var identifier: Int?
                var title: String
                let number: Int?
                weak var owner: User?
            }
            """,
            """
            final class Issue {
                var identifier: Int? {
                    get {
                        _object.optionalInteger(of: Self.properties.identifier, at: 0)
                    }
                    set {
                        _object.setOptionalInteger(newValue, of: Self.properties.identifier, at: 0, in: self)
                    }
                }
                var title: String
                let number: Int?
                weak var owner: User?

                nonisolated struct Properties: Sendable {
                    let identifier = RestfulData.Declaration<Issue>.optionalAttribute(0, "identifier", Int?.self)
                }

                nonisolated static let properties = Properties()

                nonisolated static let modelDescription = RestfulData.ModelDescription(
                    Issue.self, "Issue", RestfulData.ModelOptions(),
                    [properties.identifier])

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
            """,
            diagnostics: [
                DiagnosticSpec(
                    message:
                        "'title' is neither optional nor defaulted, and a reply may leave it out; make it 'String?', "
                        + "or add a default such as '= \"\"'",
                    line: 4, column: 9,
                    fixIts: [FixItSpec(message: "make it 'String?'"), FixItSpec(message: "add the default '\"\"'")]),
                DiagnosticSpec(
                    message: "a model's property is a 'var', as a reply can change it; or mark 'number' '@Transient'",
                    line: 5, column: 5,
                    fixIts: [
                        FixItSpec(message: "replace 'let' with 'var'"), FixItSpec(message: "mark it '@Transient'"),
                    ]),
                DiagnosticSpec(
                    message: "'weak' can't be said of a model's property, whose value the store holds; remove it, "
                        + "or mark 'owner' '@Transient'",
                    line: 6, column: 5,
                    fixIts: [FixItSpec(message: "remove 'weak'"), FixItSpec(message: "mark it '@Transient'")]),
            ])
    }
}

extension ExpansionTests {
    @Test func `A singular model needs no identity`() {
        expectExpansion(
            """
            @Model("/account/preferences", singular: true)
            final class Preferences {
                var theme = "light"
            }
            """,
            """
            final class Preferences {
                var theme {
                    get {
                        _object.text(of: Self.properties.theme, at: 0)
                    }
                    set {
                        _object.setText(newValue, of: Self.properties.theme, at: 0, in: self)
                    }
                }

                nonisolated struct Properties: Sendable {
                    let theme = RestfulData.Declaration<Preferences>.constantAttribute(0, "theme", Swift.String.self, default: "light")
                }

                nonisolated static let properties = Properties()

                nonisolated static let modelDescription = RestfulData.ModelDescription(
                    Preferences.self, "Preferences", RestfulData.ModelOptions("/account/preferences", singular: true),
                    [properties.theme])

                @safe nonisolated(unsafe) let _object: RestfulData.ObjectState

                nonisolated init(in context: RestfulData.ObjectContext) {
                    _object = RestfulData.ObjectState(insertingInto: context, Preferences.self)
                    _object.register(self)
                }

                nonisolated init(_object: RestfulData.ObjectState) {
                    self._object = _object
                }
            }

            nonisolated extension Preferences: RestfulData.SingularModel {}

            @available(*, unavailable, message: "an object is used where its context is; pass its identity on")
            nonisolated extension Preferences: Swift.Sendable {}
            """)
    }
}
