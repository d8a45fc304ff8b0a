// swift-format-ignore-file: AmbiguousTrailingClosureOverload
// The result type of the closure selects the overload.

extension ObjectQuery {
    /// Reads linked objects together with the query's objects, in one statement, and retains them until the context's
    /// actor is free.
    ///
    /// ```swift
    /// let issues = try context.query(Issue.self).prefetch { $0.user }.prefetch { $0.repository.owner }.fetch()
    /// ```
    public func prefetch<L: QueryReference>(_ link: (M.Properties) -> L) -> ObjectQuery where L.Root == M {
        prefetching(link(M.properties).queryLink.path)
    }

    /// Reads the members of a list together with the query's objects, in two statements, and retains them until the
    /// context's actor is free.
    public func prefetch<L: QueryMembers>(_ list: (M.Properties) -> L) -> ObjectQuery where L.Root == M {
        let list = list(M.properties).queryList
        return prefetching(list.path + [list.list])
    }

    /// Reads relationships of list members, to any depth: `prefetch { $0.comments.each.user }`. Each link on the way
    /// takes one statement, each list two.
    public func prefetch<Element>(_ path: (M.Properties) -> QueryEach<M, Element>) -> ObjectQuery {
        prefetching(path(M.properties).path)
    }

    /// Reads the lists of list members: `prefetch { $0.repositories.each.issues }`.
    public func prefetch<Element>(_ path: (M.Properties) -> QueryEachList<M, Element>) -> ObjectQuery {
        prefetching(path(M.properties).path)
    }

    private func prefetching(_ path: [PropertyReference]) -> ObjectQuery {
        var query = self
        query.prefetched.append(path)
        return query
    }

    func prefetch(for objects: [M]) throws(StoreError) {
        guard !objects.isEmpty else { return }
        for path in prefetched {
            var states = objects.map { $0._object.current }
            for property in path { states = try context.prefetch(property, of: states) }
        }
    }
}

extension QueryMembers {
    /// The members, for prefetching their relationships.
    public var each: QueryEach<Root, Member> {
        let list = queryList
        return QueryEach(path: list.path + [list.list])
    }
}

/// The objects at the end of a path with lists.
@dynamicMemberLookup
public struct QueryEach<Root: Model, Element: Model>: Sendable {
    let path: [PropertyReference]

    /// A link of each object.
    public subscript<Declaring, Next>(
        dynamicMember link: KeyPath<Element.Properties, ToOne<Declaring, Next>>
    ) -> QueryEach<Root, Next> {
        QueryEach<Root, Next>(path: path + [PropertyReference(Element.properties[keyPath: link].description)])
    }

    /// A list of each object.
    public subscript<Declaring, Next>(
        dynamicMember list: KeyPath<Element.Properties, ToMany<Declaring, Next>>
    ) -> QueryEachList<Root, Next> {
        QueryEachList(path: path + [PropertyReference(Element.properties[keyPath: list].description)])
    }
}

/// A list of each object at the end of a path with lists.
public struct QueryEachList<Root: Model, Member: Model>: Sendable {
    let path: [PropertyReference]

    /// The list's members.
    public var each: QueryEach<Root, Member> { QueryEach(path: path) }
}

extension ObjectContext {
    /// Reads a relationship of objects of one table.
    fileprivate func prefetch(
        _ property: PropertyReference, of states: [ObjectState]
    ) throws(StoreError) -> [ObjectState] {
        guard let model = states.first.map({ schema[$0.model.table] }), let index = states[0].model.index(of: property)
        else { return [] }
        if let link = model[index].link {
            return try hold(Set(states.compactMap { $0.seenRow(index) }), of: link.target)
        }
        guard let list = model[index].list else { return [] }
        try readMembers(of: list, index, states)
        var rows: Set<RowID> = []
        for state in states { rows.formUnion(members(of: state, index)) }
        return try hold(rows, of: list.target)
    }

    /// Reads the objects that aren't live, in one statement. The context retains all of them.
    private func hold(_ rows: Set<RowID>, of table: TableID) throws(StoreError) -> [ObjectState] {
        guard schema.contains(table) else { return [] }
        var objects = rows.compactMap { liveObject(RecordID(table: table, row: $0)) }
        let missing = rows.filter { liveObject(RecordID(table: table, row: $0)) == nil }.sorted()
        if !missing.isEmpty {
            let found = try reading { (reader) throws -> [any Model] in
                let statements = try reader.reading()
                let statement = try statements.connection.queryStatement(
                    "\(statements[table].selectRows) WHERE _id IN (SELECT value FROM json_each(?))")
                statement.bind(StoredValue.json(of: missing), at: 1)
                var found: [any Model] = []
                while try statement.step() {
                    found.append(object(for: RecordID(table: table, row: statement.row(0)), readBy: statement))
                }
                return found
            }
            objects += found
        }
        prefetched += objects
        return objects.map { $0._object.current }
    }

    private func readMembers(of list: List, _ index: PropertyIndex, _ states: [ObjectState]) throws(StoreError) {
        let unread = states.filter { $0.lists[index] == nil && !$0.isInserted && !$0.isDeleted }
        guard !unread.isEmpty else { return }
        let members = try reading { (reader) throws in
            try reader.reading().members(of: list, owners: unread.map(\.localID))
        }
        for state in unread { takeMembers(members[state.localID] ?? [], of: state, index) }
    }
}

extension StoredValue {
    static func json(of rows: [RowID]) -> StoredValue {
        .text("[" + rows.map { String($0.rawValue) }.joined(separator: ",") + "]")
    }
}

extension Statements {
    /// Reads all lists in one statement, each in its order.
    fileprivate func members(of list: List, owners: [RowID]) throws -> [RowID: [RowID]] {
        let (table, owner, member, position): (String, String, String, String) =
            switch schema.side(of: list) {
            case .join(let side): (side.table, side.owner, side.member, side.position)
            case .link(let side): (side.table, side.owner, "_id", side.position)
            }
        let statement = try connection.queryStatement(
            """
            SELECT \(owner), \(member) FROM \(table) WHERE \(owner) IN (SELECT value FROM json_each(?)) \
            ORDER BY \(owner), \(position) IS NULL, \(position), \(member) < 0, \(member)
            """)
        statement.bind(StoredValue.json(of: owners), at: 1)
        var members: [RowID: [RowID]] = [:]
        while try statement.step() { members[statement.row(0), default: []].append(statement.row(1)) }
        return members
    }
}
