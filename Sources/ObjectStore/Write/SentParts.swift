/// Values of embedded rows in requests in flight, or of unknown outcome. Replies are matched with them, even if the
/// rows have changed.
struct SentParts {
    /// The different attribute values that were sent, the last ones last.
    private var values: [RecordID: [[StoredValue]]] = [:]
    /// The embedded rows by the row whose request sends them.
    private var parts: [RecordID: Set<RecordID>] = [:]
    private var lists: [RecordID: [SentList]] = [:]

    func values(of part: RecordID) -> [[StoredValue]] { values[part] ?? [] }

    func lists(within record: RecordID) -> [SentList] { lists[record] ?? [] }

    /// The list in each request, the last one first.
    func lists(of owner: ListOwner) -> [[SentList.Element]] {
        lists.values.flatMap { $0.filter { $0.owner == owner }.map(\.elements).reversed() }
    }

    /// Keeps the last eight versions of each list.
    mutating func note(_ sentLists: [SentList], within record: RecordID) {
        for list in sentLists {
            var sent = (lists[record] ?? []).filter { $0 != list } + [list]
            if sent.count(where: { $0.owner == list.owner }) > 8,
                let oldest = sent.firstIndex(where: { $0.owner == list.owner })
            {
                sent.remove(at: oldest)
            }
            lists[record] = sent
            for element in list.elements {
                note(element.values, of: RecordID(table: list.table, row: element.row), within: record)
            }
        }
    }

    mutating func note(_ sent: [StoredValue], of part: RecordID, within record: RecordID) {
        values[part]?.removeAll { $0 == sent }
        values[part, default: []].append(sent)
        parts[record, default: []].insert(part)
    }

    mutating func replace(_ part: RecordID, with row: RowID) {
        guard let sent = values.removeValue(forKey: part) else { return }
        let made = RecordID(table: part.table, row: row)
        values[made] = sent
        for (record, parts) in parts where parts.contains(part) {
            self.parts[record] = parts.subtracting([part]).union([made])
            lists[record] = lists[record]?.map { list in
                guard list.table == part.table else { return list }
                return SentList(
                    of: list.owner, in: list.table,
                    list.elements.map { $0.row == part.row ? SentList.Element(row, $0.values) : $0 })
            }
        }
    }

    mutating func forget(within record: RecordID) {
        for part in parts.removeValue(forKey: record) ?? [] { values[part] = nil }
        lists[record] = nil
    }
}
