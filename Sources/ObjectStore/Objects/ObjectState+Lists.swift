extension ObjectState {
    /// A list as one context shows it.
    struct ListState {
        var members: [RowID]
        /// The context's count of changes to this relationship when the members were read.
        var version: Int
        var isEdited = false
        /// The members that the context has added or removed, with the time of the last change.
        var toggles: [RowID: ChangeStamp] = [:]
        /// When the context last moved members, or inserted them before others.
        var orderStamp: ChangeStamp?
        var stamp: ChangeStamp?
        /// The keys of removed pending members.
        var dismissed: Set<String> = []
        /// Whether the edit assigns all members of an unfetched list.
        var isAssigned = false
        /// Whether the edit was rolled back while a save or request had it. It is kept until that ends.
        var isRolledBack = false

        var isOrdered: Bool { orderStamp != nil }

        /// An empty assignment leaves members that the server may have.
        var isWhole: Bool { isAssigned && !members.isEmpty }

        /// The removed members, sorted by row.
        var removed: [RowID] {
            guard !toggles.isEmpty else { return [] }
            let present = Set(members)
            return toggles.keys.filter { !present.contains($0) }.sorted()
        }

        func isAmong(_ edits: Set<ChangeStamp>) -> Bool { stamp.map(edits.contains) ?? false }

        /// - Parameter current: the members beneath the edit.
        func members(over current: [RowID], in list: List) -> [RowID] {
            switch list.storage {
            // The members' links decide about membership, the edit about the order only.
            case .column: members.order(of: current)
            case .join: members.edited(over: current) { toggles[$0] != nil }
            }
        }

        /// Drops changes that `stored`, the members beneath the edit, already have.
        ///
        /// - Parameter covers: whether a change hides another edit, and so stays.
        mutating func prune(over stored: [RowID], covers: (RowID) -> Bool = { _ in false }) {
            guard !toggles.isEmpty else { return }
            let (present, beneath) = (Set(members), Set(stored))
            toggles = toggles.filter { row, _ in present.contains(row) != beneath.contains(row) || covers(row) }
        }

        /// Whether `stored`, the members beneath the edit, already have any of its toggles or, if it has none, its
        /// order.
        func isInEffect(in stored: [RowID]) -> Bool {
            guard !toggles.isEmpty else { return members == stored || !isOrdered }
            let (present, beneath) = (Set(members), Set(stored))
            return toggles.keys.contains { present.contains($0) == beneath.contains($0) }
        }

        func mapped(_ row: (RowID) -> RowID) -> ListState {
            var mapped = self
            var seen: Set<RowID> = []
            mapped.members = members.map(row).filter { seen.insert($0).inserted }
            mapped.toggles = Dictionary(toggles.map { (row($0), $1) }, uniquingKeysWith: max)
            return mapped
        }

        func without(_ written: WriteBatch.Membership) -> ListState? {
            guard let last = written.stamp else { return self }
            guard isEdited, stamp != last else { return nil }
            var rest = self
            let toggled = written.toggles ?? [:]
            rest.toggles = toggles.filter { row, stamp in toggled[row].map { $0 < stamp } ?? true }
            if written.isOrdered, let order = orderStamp, order <= last { rest.orderStamp = nil }
            rest.dismissed.subtract(written.dismissed)
            if written.isAssigned { rest.isAssigned = false }
            let isEmpty = rest.toggles.isEmpty && !rest.isOrdered && rest.dismissed.isEmpty && !rest.isAssigned
            return isEmpty ? nil : rest
        }

        /// Of two toggles of a member, the later one stays.
        func joined(with other: ListState?) -> ListState {
            guard let other, other.isEdited else { return self }
            guard (stamp ?? .earliest) >= (other.stamp ?? .earliest) else { return other.joined(with: self) }
            var joined = self
            let theirs = Set(other.members)
            let newer = other.toggles.filter { row, stamp in toggles[row].map { $0 < stamp } ?? true }
            joined.toggles.merge(newer) { $1 }
            joined.members.removeAll { newer[$0] != nil && !theirs.contains($0) }
            let present = Set(joined.members)
            joined.members += other.members.filter { newer[$0] != nil && !present.contains($0) }
            joined.orderStamp = [orderStamp, other.orderStamp].compactMap(\.self).max()
            joined.dismissed.formUnion(other.dismissed)
            joined.isAssigned = isAssigned || other.isAssigned
            return joined
        }
    }
}
