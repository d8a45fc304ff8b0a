extension Condition {
    /// The same condition where links to rows that the context has deleted and not saved lead nowhere.
    func seen(by context: ObjectContext, _ table: ModelSchema) -> Condition {
        switch self {
        case .compare(let property, let comparison, .null):
            let gone = context.unsavedDeletions(behind: property, of: table)
            guard !gone.isEmpty else { return self }
            let leadsToGone = Condition.isAmong(property: property, gone)
            return comparison == .equal ? .or(self, leadsToGone) : .and(self, .not(leadsToGone))
        case .compare, .isAmong, .contains: return self
        case .and(let left, let right): return .and(left.seen(by: context, table), right.seen(by: context, table))
        case .or(let left, let right): return .or(left.seen(by: context, table), right.seen(by: context, table))
        case .not(let condition): return .not(condition.seen(by: context, table))
        }
    }
}

extension ObjectContext {
    fileprivate func unsavedDeletions(behind property: Int, of table: ModelSchema) -> [StoredValue] {
        guard table.properties.indices.contains(property), let link = table.properties[property].link,
            unsaved.containsOne(of: link.target)
        else { return [] }
        return unsavedObjects.map(\._object).filter { $0.isDeleted && $0.table.index == link.target }
            .map { .integer($0.localID) }
    }
}
