/// What a transaction's deletions must not take away: looked at when all of them are made, so that an object may go
/// together with what it would else be kept by.
struct DeletionRules {
    /// Whether the deletions are the server's word, which no rule of ours denies.
    let isConfirmed: Bool
    private var denials: [Denial] = []

    private struct Denial {
        let error: (Int) -> StoreError
        let target: Int
        let members: [Int64]
    }

    init(isConfirmed: Bool) { self.isConfirmed = isConfirmed }

    /// Notes what a row that is about to be deleted leads to by relationships that deny it.
    mutating func note(_ table: ModelSchema, _ id: Int64, _ writer: Writer) throws {
        guard !isConfirmed, table.hasDeleteRules else { return }
        for property in table.properties where property.deleteRule == .deny {
            let members = try writer.targets(of: property, table, id)
            guard let first = members.first else { continue }
            let identity = try writer.identityText(table, id)
            denials.append(
                Denial(
                    error: {
                        .deleteDenied(
                            model: table.modelName, identity: identity, relationship: property.name, count: $0)
                    }, target: first.table, members: members.map(\.id)))
        }
    }

    /// - Throws: ``StoreError/deleteDenied(model:identity:relationship:count:)`` where something is still there.
    func check(_ writer: Writer) throws {
        for denial in denials {
            var count = 0
            for id in denial.members where try writer.hasRow(writer.schema.tables[denial.target], id) { count += 1 }
            if count > 0 { throw denial.error(count) }
        }
    }
}
