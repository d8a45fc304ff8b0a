/// A value that a query reads for each object of `Root`: an attribute, also of a linked object, or a list's count.
public protocol QueryExpression<Root, Value>: Sendable {
    /// The model that the query is about.
    associatedtype Root: Model
    /// The type of the value.
    associatedtype Value: Sendable
    /// The expression in its general form.
    var queryValue: QueryValue<Root, Value> { get }
}

/// A value that a query reads for each object: `$0.user.login`, `$0.labels.count`.
public struct QueryValue<Root: Model, Value: Sendable>: QueryExpression {
    let term: Term
    let decode: @Sendable (StoredValue) -> Value
    let encode: @Sendable (Value) -> StoredValue
    /// Why a value that was read can't be represented; `nil` if each can.
    var refusal: (@Sendable (StoredValue) -> String?)?

    /// This value.
    public var queryValue: QueryValue { self }
}

extension Attribute: QueryExpression {
    /// The model that declares the attribute.
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

/// A to-one relationship of each object of `Root`, or of linked objects. Its members are the destination's properties,
/// nil without one: `$0.repository.owner.login`.
@dynamicMemberLookup
public protocol QueryReference<Root, Destination>: Sendable {
    /// The model that the query is about.
    associatedtype Root: Model
    /// The model that the link references.
    associatedtype Destination: Model
    /// The link in its general form.
    var queryLink: QueryLink<Root, Destination> { get }
}

/// A linked object's to-one relationship: `$0.repository.owner`.
public struct QueryLink<Root: Model, Destination: Model>: QueryReference {
    let path: [PropertyReference]

    /// This link.
    public var queryLink: QueryLink { self }
}

extension ToOne: QueryReference {
    /// The model that declares the relationship.
    public typealias Root = Owner
    /// The relationship as a path of one link.
    public var queryLink: QueryLink<Owner, Destination> { QueryLink(path: [PropertyReference(description)]) }
}

extension QueryReference {
    var term: Term { Term(path: queryLink.path) ?? .row }

    var target: Term { linked(.row) }

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

    /// An attribute of the linked object.
    public subscript<Declaring, V>(
        dynamicMember path: KeyPath<Destination.Properties, Attribute<Declaring, V?>>
    ) -> QueryValue<Root, V?> { value(Destination.properties[keyPath: path]) }

    /// An attribute of the linked object; nil without one.
    @_disfavoredOverload
    public subscript<Declaring, V>(
        dynamicMember path: KeyPath<Destination.Properties, Attribute<Declaring, V>>
    ) -> QueryValue<Root, V?> { optionalValue(Destination.properties[keyPath: path]) }

    /// A link of the linked object.
    public subscript<Declaring, Next>(
        dynamicMember path: KeyPath<Destination.Properties, ToOne<Declaring, Next>>
    ) -> QueryLink<Root, Next> {
        QueryLink(path: queryLink.path + [PropertyReference(Destination.properties[keyPath: path].description)])
    }

    /// A relationship of the linked object to one of several models.
    public subscript<Declaring, Choice>(
        dynamicMember path: KeyPath<Destination.Properties, ToOneChoice<Declaring, Choice>>
    ) -> QueryChoice<Root, Choice> { Destination.properties[keyPath: path].queryChoice(from: queryLink.path) }

    /// A list of the linked object; without one neither empty nor nonempty.
    public subscript<Declaring, Member>(
        dynamicMember path: KeyPath<Destination.Properties, ToMany<Declaring, Member>>
    ) -> QueryList<Root, Member> {
        QueryList(
            path: queryLink.path, list: PropertyReference(Destination.properties[keyPath: path].description))
    }
}

extension QueryReference where Destination: Submodel {
    /// An attribute of the destination's class itself.
    public subscript<Declaring, V>(
        dynamicMember path: KeyPath<Destination.OwnProperties, Attribute<Declaring, V?>>
    ) -> QueryValue<Root, V?> { value(Destination.ownProperties[keyPath: path]) }

    /// An attribute of the destination's class itself.
    @_disfavoredOverload
    public subscript<Declaring, V>(
        dynamicMember path: KeyPath<Destination.OwnProperties, Attribute<Declaring, V>>
    ) -> QueryValue<Root, V?> { optionalValue(Destination.ownProperties[keyPath: path]) }

    /// A link of the destination's class itself.
    public subscript<Declaring, Next>(
        dynamicMember path: KeyPath<Destination.OwnProperties, ToOne<Declaring, Next>>
    ) -> QueryLink<Root, Next> {
        QueryLink(path: queryLink.path + [PropertyReference(Destination.ownProperties[keyPath: path].description)])
    }

    /// A list of the destination's class itself.
    public subscript<Declaring, Member>(
        dynamicMember path: KeyPath<Destination.OwnProperties, ToMany<Declaring, Member>>
    ) -> QueryList<Root, Member> {
        QueryList(
            path: queryLink.path, list: PropertyReference(Destination.ownProperties[keyPath: path].description))
    }
}

// MARK: - Lists

/// A to-many relationship of each object of `Root`, or of linked objects.
public protocol QueryMembers<Root, Member>: Sendable {
    /// The model that the query is about.
    associatedtype Root: Model
    /// The model of the list's members.
    associatedtype Member: Model
    /// The list in its general form.
    var queryList: QueryList<Root, Member> { get }
}

/// A linked object's to-many relationship: `$0.repository.topics`.
public struct QueryList<Root: Model, Member: Model>: QueryMembers {
    /// The links to the list's owner.
    let path: [PropertyReference]
    let list: PropertyReference

    /// This list.
    public var queryList: QueryList { self }
}

extension ToMany: QueryMembers {
    /// The model that declares the relationship.
    public typealias Root = Owner
    /// The model of its members.
    public typealias Member = Destination
    /// The relationship without a path.
    public var queryList: QueryList<Owner, Destination> {
        QueryList(path: [], list: PropertyReference(description))
    }
}

extension QueryMembers {
    /// True if the condition holds for a member: `$0.labels.contains { $0.name == "bug" }`.
    public func contains<C: QueryCondition>(_ condition: (Member.Properties) -> C) -> QueryPredicate<Root>
    where C.Root == Member {
        hasMember(condition(Member.properties).queryPredicate.condition)
    }

    /// True if the object is a member. The query throws for an object of another context.
    public func contains(_ object: Member) -> QueryPredicate<Root> {
        hasMember(.object(.row, isEqual: true, ObjectReference(object)))
    }

    /// True if the condition holds for all members, or the list is empty.
    public func allSatisfy<C: QueryCondition>(_ condition: (Member.Properties) -> C) -> QueryPredicate<Root>
    where C.Root == Member {
        none(of: .not(condition(Member.properties).queryPredicate.condition))
    }

    /// True if the list has no members.
    public var isEmpty: QueryPredicate<Root> { none(of: nil) }

    /// The number of members; nil for a list of a missing object.
    public var count: QueryValue<Root, Int> { count(of: nil) }

    /// The number of members that meet the condition.
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
        // A missing object has no list.
        guard let owner = Term(path: queryList.path) else { return QueryPredicate(condition: none) }
        return QueryPredicate(condition: .and(none, .compare(owner, .unequal, .null)))
    }

    private func count(of condition: Condition?) -> QueryValue<Root, Int> {
        let list = queryList
        let count = Term.count(list.list, condition).linked(by: list.path)
        return QueryValue(term: count, decode: { Int(stored: $0) ?? 0 }, encode: { $0.stored })
    }
}
