import JSONBytes

extension Importer {
    /// Reads of an object only what names it: it is deeper than was asked for.
    ///
    /// - Returns: the row of its identity; `nil` where there is none yet, so that the link waits for it.
    mutating func readReference(_ reader: inout JSONReader, _ plan: ImportPlan) throws -> Int64? {
        let frame = plan.frame()
        defer { plan.giveBack(frame) }
        try readIdentityKeys(&reader, plan, plan.nodes[0], frame)
        guard try completeIdentity(plan, frame, nil) else { return nil }
        if let id = try find(plan, frame) { return id }
        unknownIdentity = try pendingKey(plan, frame)
        return nil
    }

    private mutating func readIdentityKeys(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ node: KeyNode, _ frame: ImportFrame
    ) throws {
        guard try reader.enterObject() else { return }
        var expected = 0
        let known = node.orderCount
        repeat {
            switch try node.nextAction(&reader, &expected, below: known) {
            case .attribute(let column) where plan.identity.contains(column):
                try readAttribute(&reader, plan, column, frame)
            case .link(let column, let property) where plan.identity.contains(column),
                .linkAndNested(let column, let property, _) where plan.identity.contains(column):
                try readLink(&reader, plan, column, property, frame)
            case .linkIdentity(let column, let property) where plan.identity.contains(column):
                try readLinkIdentity(&reader, plan, column, property, frame)
            case .nested(let node):
                if try reader.peekKind() == .object {
                    try readIdentityKeys(&reader, plan, plan.nodes[node], frame)
                } else {
                    _ = try reader.skipValue()
                }
            default: _ = try reader.skipValue()
            }
        } while try reader.continueObject()
    }
}
