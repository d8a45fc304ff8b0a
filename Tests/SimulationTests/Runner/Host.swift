import RestfulData
import TestSupport

/// A background context that stays open while the program runs.
///
/// It is used by the schedule's thread only, between the jobs that run on the context's actor; so nothing else touches
/// the context meanwhile.
final class Host: @unchecked Sendable {
    private struct Closed: Error {}

    let index: Int
    private(set) var context: ObjectContext?
    private(set) var isClosed = false
    /// Objects that are held, so that merges have something to do.
    var held: [Name: any Thing] = [:]
    private var actor: (any Actor)?
    private var closing: CheckedContinuation<Void, Never>?

    init(_ index: Int) { self.index = index }

    func open(_ store: Store) {
        Task(executorPreference: ScheduleExecutor.shared) {
            try? await store.background { context in
                self.opened(context, on: #isolation)
                await withCheckedContinuation { self.closing = $0 }
                // Unsaved edits are lost with the context.
                throw Closed()
            }
            self.isClosed = true
        }
    }

    private func opened(_ context: ObjectContext, on actor: (any Actor)?) {
        self.context = context
        self.actor = actor
    }

    func close() {
        held = [:]
        context = nil
        actor = nil
        closing?.resume()
        closing = nil
    }

    /// Begins an operation on the context's actor.
    func begin(
        _ operation: Operation, clock: @escaping @Sendable () -> Int,
        _ body: @escaping @Sendable (ObjectContext) async throws -> Void
    ) {
        guard let actor else { return }
        Task(executorPreference: ScheduleExecutor.shared) {
            await Operation.$current.withValue(operation) {
                await self.perform(operation, on: actor, body)
            }
            operation.ended = clock()
        }
    }

    private func perform(
        _ operation: Operation, on actor: isolated any Actor, _ body: (ObjectContext) async throws -> Void
    ) async {
        operation.hasBegun = true
        guard let context else { return }
        do { try await body(context) } catch { operation.error = error }
    }
}

// MARK: - Things

extension Host {
    /// The thing's object in this context; nil if there is none.
    func find(_ name: Name) -> (any Thing)? {
        if let object = held[name], !object.isDeleted, object.tag == name.tag { return object }
        guard let object = first(name.kind.type, name.tag) else { return nil }
        held[name] = object
        return object
    }

    private func first<M: Thing>(_ type: M.Type, _ tag: Int) -> (any Thing)? {
        (try? context?.query(type).where { M.tagged(tag, $0) }.fetch())?.first
    }

    func all<M: Thing>(_ type: M.Type) -> [M] { (try? context?.query(type).fetch()) ?? [] }

    func all(_ kind: Kind) -> [any Thing] {
        func things<M: Thing>(_ type: M.Type) -> [any Thing] { all(type) }
        return things(kind.type)
    }

    func make(_ name: Name) {
        guard let context else { return }
        let object = name.kind.type.init(in: context)
        object.tag = name.tag
        // An owner has its mark from the start, as it has at the server: two that were added are two.
        if object is Owner { object.b = nil }
        held[name] = object
    }
}

// MARK: - Requests

// The context is passed so that they run on its actor, as all that is given one does.

extension Host {
    func create(_ name: Name, in context: ObjectContext) async throws { try await find(name)?.create() }
    func save(_ name: Name, in context: ObjectContext) async throws { try await find(name)?.save() }
    func delete(_ name: Name, in context: ObjectContext) async throws {
        // It may have been deleted with its owner since: then nothing is sent.
        guard let object = find(name) else { throw APIError.store(.deletedObject(model: "\(name.kind)")) }
        try await object.delete()
    }
    func fetch(_ name: Name, in context: ObjectContext) async throws { try await find(name)?.fetch() }

    func sendMembership(_ relation: Relation, _ member: Name, _ target: Name, linked: Bool, in context: ObjectContext)
        async throws
    {
        switch (relation, find(member), find(target)) {
        case (.owner, let item as Item, let owner as Owner):
            if linked { try await owner.$items.add(item) } else { try await owner.$items.delete(item) }
        case (.parent, let item as Item, let parent as Item):
            if linked { try await parent.$parts.add(item) } else { try await parent.$parts.delete(item) }
        case (.labels, let item as Item, let label as Label):
            if linked { try await item.$labels.add(label) } else { try await item.$labels.delete(label) }
        default: throw APIError.store(.deletedObject(model: "\(member.kind)"))
        }
    }

    func fetchList(of name: Name, in context: ObjectContext) async throws {
        switch find(name) {
        case let owner as Owner: try await owner.$items.fetch()
        case let item as Item: try await item.$parts.fetch()
        case let label as Label: try await label.items.first?.$labels.fetch()
        default: break
        }
    }
}

// MARK: - Facts

extension Host {
    /// The local value of a fact, according to its member; nil if the member, or one of the pair, isn't in this
    /// context.
    func value(of fact: Fact) -> Int?? {
        switch fact {
        case .field(let name, let field):
            guard let object = find(name) else { return nil }
            return .some(field == .a ? object.a : object.b)
        case .link(let relation, let name):
            guard let object = find(name) else { return nil }
            return .some(target(relation, of: object)?.tag)
        case .pair(let item, let label):
            guard let item = find(item) as? Item, let label = find(label) as? Label else { return nil }
            // Another object of the label may be in the list, which this one has turned out to be.
            return .some(item.labels.contains { $0.tag == label.tag } ? 1 : nil)
        }
    }

    func target(_ relation: Relation, of object: any Thing) -> (any Thing)? {
        switch relation {
        case .owner: (object as? Item)?.owner
        case .parent: (object as? Item)?.parent
        case .badge: (object as? Badge)?.owner
        case .labels: nil
        }
    }

    func members(_ relation: Relation, of object: any Thing) -> [any Thing] {
        switch relation {
        case .owner: (object as? Owner)?.items ?? []
        case .parent: (object as? Item)?.parts ?? []
        case .badge: (object as? Owner)?.badge.map { [$0] } ?? []
        case .labels: (object as? Label)?.items ?? []
        }
    }

    /// Whether an owner's list with the item was edited and not saved.
    func changesList(of item: Item) -> Bool { item.owner?.changedProperties.contains("items") ?? false }

    func edit(_ name: Name, _ field: Field, to value: Int) -> Bool {
        guard let object = find(name) else { return false }
        if field == .a { object.a = value } else { object.b = value }
        return true
    }

    /// Links two things, or removes the link between them, on one side; false if they are not in this context, or are
    /// so already.
    func set(_ relation: Relation, _ member: Name, _ target: Name, by side: Side, linked: Bool) -> Bool {
        guard let one = find(member), let other = find(target) else { return false }
        switch (relation, one, other) {
        case (.owner, let item as Item, let owner as Owner):
            guard (item.owner === owner) != linked else { return false }
            if side == .member { item.owner = linked ? owner : nil } else { owner.items.set(item, linked) }
        case (.parent, let item as Item, let parent as Item):
            guard (item.parent === parent) != linked else { return false }
            if side == .member { item.parent = linked ? parent : nil } else { parent.parts.set(item, linked) }
        case (.badge, let badge as Badge, let owner as Owner):
            guard (badge.owner === owner) != linked else { return false }
            if side == .member { badge.owner = linked ? owner : nil } else { owner.badge = linked ? badge : nil }
        case (.labels, let item as Item, let label as Label):
            guard item.labels.contains(where: { $0.tag == label.tag }) != linked else { return false }
            if side == .member { item.labels.set(label, linked) } else { label.items.set(item, linked) }
        default: return false
        }
        return true
    }
}

extension Array where Element: Thing {
    /// Another object of a thing may be in the list, which this one has turned out to be. A commit that is merged as
    /// the list is read may have added the element.
    fileprivate mutating func set(_ element: Element, _ isMember: Bool) {
        guard isMember else { return removeAll { $0.tag == element.tag } }
        if !contains(where: { $0.tag == element.tag }) { append(element) }
    }
}
