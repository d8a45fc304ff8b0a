/// What a question reads of each object of `Root`: an attribute, the attribute of what a link leads to, how many
/// members a list has. See ``ObjectQuery``.
public protocol QueryExpression<Root, Value>: Sendable {
    /// The model whose objects are asked about.
    associatedtype Root: Model
    /// What is read.
    associatedtype Value: Sendable
    /// The same without regard to what it was made of.
    var queryValue: QueryValue<Root, Value> { get }
}

/// A value that a question reads of each object: `$0.user.login`, `$0.labels.count`.
public struct QueryValue<Root: Model, Value: Sendable>: QueryExpression {
    let term: Term
    let decode: @Sendable (StoredValue) -> Value
    let encode: @Sendable (Value) -> StoredValue
    /// Why a value that was read can't be told; `nil` where every value can.
    var refusal: (@Sendable (StoredValue) -> String?)?

    /// Itself.
    public var queryValue: QueryValue { self }
}

extension Attribute: QueryExpression {
    /// The model that declares it.
    public typealias Root = Owner
    /// The attribute as a value.
    public var queryValue: QueryValue<Owner, Value> {
        QueryValue(term: .property(PropertyReference(description)), decode: decode, encode: encode)
    }
}

extension QueryExpression {
    var term: Term { queryValue.term }
    func stored(_ value: Value) -> StoredValue { queryValue.encode(value) }
}

// MARK: - Links

/// A to-one relationship of each object of `Root`, or one of what such leads to. Its members are the destination's
/// properties: `$0.repository.owner.login`. What a link that leads nowhere would lead to is nil, as with optional
/// chaining.
@dynamicMemberLookup
public protocol QueryReference<Root, Destination>: Sendable {
    /// The model whose objects are asked about.
    associatedtype Root: Model
    /// The model that the link leads to.
    associatedtype Destination: Model
    /// The same without regard to what it was made of.
    var queryLink: QueryLink<Root, Destination> { get }
}

/// A to-one relationship beyond another: `$0.repository.owner`.
public struct QueryLink<Root: Model, Destination: Model>: QueryReference {
    /// The links up to this one.
    let path: [PropertyReference]

    /// Itself.
    public var queryLink: QueryLink { self }
}

extension ToOne: QueryReference {
    /// The model that declares it.
    public typealias Root = Owner
    /// The relationship as a path of one link.
    public var queryLink: QueryLink<Owner, Destination> { QueryLink(path: [PropertyReference(description)]) }
}

extension QueryReference {
    /// The link itself as a term.
    var term: Term { Term(path: queryLink.path) ?? .row }

    /// The object that it leads to.
    var target: Term { linked(.row) }

    /// The same of the object that the link leads to.
    private func linked(_ term: Term) -> Term { term.linked(by: queryLink.path) }

    private func value<Declaring, V>(_ attribute: Attribute<Declaring, V?>) -> QueryValue<Root, V?> {
        QueryValue(
            term: linked(attribute.queryValue.term), decode: attribute.decode, encode: attribute.encode)
    }

    private func optionalValue<Declaring, V>(_ attribute: Attribute<Declaring, V>) -> QueryValue<Root, V?> {
        let (decode, encode) = (attribute.decode, attribute.encode)
        return QueryValue(
            term: linked(attribute.queryValue.term), decode: { $0.isNull ? nil : decode($0) },
            encode: { $0.map(encode) ?? .null })
    }

    /// An attribute of what the link leads to.
    public subscript<Declaring, V>(
        dynamicMember path: KeyPath<Destination.Properties, Attribute<Declaring, V?>>
    ) -> QueryValue<Root, V?> { value(Destination.properties[keyPath: path]) }

    /// An attribute of what the link leads to; nil where it leads nowhere.
    @_disfavoredOverload
    public subscript<Declaring, V>(
        dynamicMember path: KeyPath<Destination.Properties, Attribute<Declaring, V>>
    ) -> QueryValue<Root, V?> { optionalValue(Destination.properties[keyPath: path]) }

    /// A link of what the link leads to.
    public subscript<Declaring, Next>(
        dynamicMember path: KeyPath<Destination.Properties, ToOne<Declaring, Next>>
    ) -> QueryLink<Root, Next> {
        QueryLink(path: queryLink.path + [PropertyReference(Destination.properties[keyPath: path].description)])
    }

    /// A list of what the link leads to; nil, so neither empty nor not, where it leads nowhere.
    public subscript<Declaring, Member>(
        dynamicMember path: KeyPath<Destination.Properties, ToMany<Declaring, Member>>
    ) -> QueryList<Root, Member> {
        QueryList(
            path: queryLink.path, list: PropertyReference(Destination.properties[keyPath: path].description))
    }
}

extension QueryReference where Destination: Submodel {
    /// An attribute that the destination's class itself declares.
    public subscript<Declaring, V>(
        dynamicMember path: KeyPath<Destination.OwnProperties, Attribute<Declaring, V?>>
    ) -> QueryValue<Root, V?> { value(Destination.ownProperties[keyPath: path]) }

    /// An attribute that the destination's class itself declares.
    @_disfavoredOverload
    public subscript<Declaring, V>(
        dynamicMember path: KeyPath<Destination.OwnProperties, Attribute<Declaring, V>>
    ) -> QueryValue<Root, V?> { optionalValue(Destination.ownProperties[keyPath: path]) }

    /// A link that the destination's class itself declares.
    public subscript<Declaring, Next>(
        dynamicMember path: KeyPath<Destination.OwnProperties, ToOne<Declaring, Next>>
    ) -> QueryLink<Root, Next> {
        QueryLink(path: queryLink.path + [PropertyReference(Destination.ownProperties[keyPath: path].description)])
    }

    /// A list that the destination's class itself declares.
    public subscript<Declaring, Member>(
        dynamicMember path: KeyPath<Destination.OwnProperties, ToMany<Declaring, Member>>
    ) -> QueryList<Root, Member> {
        QueryList(
            path: queryLink.path, list: PropertyReference(Destination.ownProperties[keyPath: path].description))
    }
}

// MARK: - Lists

/// A to-many relationship of each object of `Root`, or of what a link of it leads to.
public protocol QueryMembers<Root, Member>: Sendable {
    /// The model whose objects are asked about.
    associatedtype Root: Model
    /// The model of the list's members.
    associatedtype Member: Model
    /// The same without regard to what it was made of.
    var queryList: QueryList<Root, Member> { get }
}

/// A to-many relationship beyond a link: `$0.repository.topics`.
public struct QueryList<Root: Model, Member: Model>: QueryMembers {
    /// The links to the list's owner.
    let path: [PropertyReference]
    let list: PropertyReference

    /// Itself.
    public var queryList: QueryList { self }
}

extension ToMany: QueryMembers {
    /// The model that declares it.
    public typealias Root = Owner
    /// The model of its members.
    public typealias Member = Destination
    /// The relationship without a path.
    public var queryList: QueryList<Owner, Destination> {
        QueryList(path: [], list: PropertyReference(description))
    }
}

extension QueryMembers {
    /// Some member is one for which the condition holds: `$0.labels.contains { $0.name == "bug" }`.
    public func contains<C: QueryCondition>(_ condition: (Member.Properties) -> C) -> QueryPredicate<Root>
    where C.Root == Member {
        hasMember(condition(Member.properties).queryPredicate.condition)
    }

    /// The object is a member. One of another context is refused when the query is asked.
    public func contains(_ object: Member) -> QueryPredicate<Root> {
        hasMember(.object(.row, isEqual: true, ObjectReference(object)))
    }

    /// The condition holds for every member, and so where there is none.
    public func allSatisfy<C: QueryCondition>(_ condition: (Member.Properties) -> C) -> QueryPredicate<Root>
    where C.Root == Member {
        none(of: .not(condition(Member.properties).queryPredicate.condition))
    }

    /// There is no member.
    public var isEmpty: QueryPredicate<Root> { none(of: nil) }

    /// How many members there are, to be compared with a number; nil beyond a link that leads nowhere.
    public var count: QueryValue<Root, Int> { count(of: nil) }

    /// How many members there are for which the condition holds.
    public func count<C: QueryCondition>(where condition: (Member.Properties) -> C) -> QueryValue<Root, Int>
    where C.Root == Member {
        count(of: condition(Member.properties).queryPredicate.condition)
    }

    private func hasMember(_ condition: Condition?) -> QueryPredicate<Root> {
        let list = queryList
        guard list.path.count <= Condition.maximumDepth else { return QueryPredicate(condition: .tooDeep) }
        return QueryPredicate(condition: Condition.hasMember(path: list.path, list.list, condition).bounded)
    }

    private func none(of condition: Condition?) -> QueryPredicate<Root> {
        let none = Condition.not(hasMember(condition).condition)
        // Beyond a link that leads nowhere there is no list.
        guard let owner = Term(path: queryList.path) else { return QueryPredicate(condition: none) }
        return QueryPredicate(condition: .and(none, .compare(owner, .unequal, .null)))
    }

    private func count(of condition: Condition?) -> QueryValue<Root, Int> {
        let list = queryList
        let count = Term.count(list.list, condition).linked(by: list.path)
        return QueryValue(term: count, decode: { Int(stored: $0) ?? 0 }, encode: { $0.stored })
    }
}
