/// A relationship to one of several models, of each object of `Root` or of linked objects.
public protocol QueryChoosing<Root, Choice>: Sendable {
    /// The model that the query is about.
    associatedtype Root: Model
    /// The enum of the models.
    associatedtype Choice: ModelChoice
    /// The relationship in its general form.
    var queryChoice: QueryChoice<Root, Choice> { get }
}

/// A relationship to one of several models of a linked object: `$0.comment.subject`.
public struct QueryChoice<Root: Model, Choice: ModelChoice>: QueryChoosing {
    /// The links to the relationship's owner.
    let path: [PropertyReference]
    /// The relationship, which is no link.
    let property: PropertyReference
    let links: [Link]

    /// The hidden link to one of the models.
    struct Link: Sendable {
        let reference: PropertyReference
        let type: any Model.Type
    }

    /// This relationship.
    public var queryChoice: QueryChoice { self }
}

extension ToOneChoice: QueryChoosing {
    /// The model that declares the relationship.
    public typealias Root = Owner
    /// The enum of the models.
    public typealias Choice = Destination
    /// The relationship without a path.
    public var queryChoice: QueryChoice<Owner, Choice> { queryChoice(from: []) }

    func queryChoice<R: Model>(from path: [PropertyReference]) -> QueryChoice<R, Choice> {
        QueryChoice(
            path: path, property: PropertyReference(description),
            links: Owner.modelDescription.properties.filter { $0.choiceName == description.name }.compactMap { link in
                link.target.map { QueryChoice.Link(reference: PropertyReference(link), type: $0) }
            })
    }
}

extension QueryChoosing {
    /// The relationship leads to this object, or nowhere for `nil`: `$0.subject == .post(post)`. The query throws for
    /// an object of another context.
    public static func == (choice: Self, value: Choice?) -> QueryPredicate<Root> {
        QueryPredicate(condition: choice.leads(to: value?.model).bounded)
    }

    /// The relationship doesn't lead to this object; for `nil`: it leads to one.
    public static func != (choice: Self, value: Choice?) -> QueryPredicate<Root> {
        QueryPredicate(condition: .not(choice.leads(to: value?.model)).bounded)
    }

    /// The relationship leads to an object of this model: `$0.subject.is(Post.self)`. False for models outside the
    /// enum.
    public func `is`<M: Model>(_ type: M.Type) -> QueryPredicate<Root> {
        let isCase = queryChoice.links.contains { ObjectIdentifier($0.type) == ObjectIdentifier(type) }
        return QueryPredicate(condition: isCase ? .compare(self.as(type).term, .unequal, .null) : .isAmong(.row, []))
    }

    /// The object, if it is of this model: `$0.subject.as(Post.self).title == "News"`. Otherwise its properties are
    /// nil.
    public func `as`<M: Model>(_ type: M.Type) -> QueryLink<Root, M> {
        let choice = queryChoice
        let link = choice.links.first { ObjectIdentifier($0.type) == ObjectIdentifier(type) }
        return QueryLink(path: choice.path + [link?.reference ?? choice.property])
    }

    private func leads(to object: (any Model)?) -> Condition {
        let choice = queryChoice
        let terms = choice.links.map { (type: $0.type, term: Term(path: choice.path + [$0.reference]) ?? .row) }
        guard let object else {
            let conditions = terms.map { Condition.compare($0.term, .equal, .null) }
            return conditions.dropFirst().reduce(conditions.first ?? .isAmong(.row, []), Condition.and)
        }
        guard let term = terms.first(where: { object._object.isInstance(of: $0.type) })?.term else {
            return .isAmong(.row, [])
        }
        return .object(term, isEqual: true, ObjectReference(object))
    }
}

extension ObjectState {
    fileprivate func isInstance(of type: any Model.Type) -> Bool {
        ObjectIdentifier(model.type) == ObjectIdentifier(type)
            || model.options.parent.map { ObjectIdentifier($0) == ObjectIdentifier(type) } ?? false
    }
}
