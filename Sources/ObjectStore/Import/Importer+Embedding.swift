import Conventions
import JSONBytes

// Embedded objects lack an identity. If a request sent exactly this list, each element is the object sent in its place.
// Otherwise it is the row with the same values, or else the row in its place. Pending edits stay.

extension Importer {
    /// The owner must have a row.
    mutating func readEmbedded(
        _ postponed: ImportFrame.Postponed, of object: ReadingObject, from body: JSONReader, _ row: StoredRow
    ) throws {
        let owner = object.plan
        let property = owner.model[postponed.property]
        let record = RecordID(table: owner.model.table, row: row.id)
        let isUnsent = try writer.isUnsent(property.index, of: record)
        let target = try plan(ofTarget: property.index, in: owner)
        let old = row.isNew ? [] : try writer.targets(of: property, in: record).map(\.row)
        containers.append(record)
        path.append(.property(property.index, of: record.table))
        defer {
            containers.removeLast()
            path.removeLast()
        }
        var reader = body
        try reader.move(to: postponed.offset)
        guard let column = owner.model.column(of: property.index) else {
            if isUnsent { return try readEdited(postponed.property, of: target, in: object, record, from: &reader) }
            let owner = ListOwner(property.index, of: record)
            let members = try readEmbeddedList(&reader, of: target, over: old, in: owner)
            let isPart = isPart(property.index, of: object, read: members.count)
            return try store(members, in: property.index, of: row, object.plan, isPart: isPart)
        }
        // Later replies' values and local replacements stay.
        let newer = writer.recentChanges.readColumns(of: record, since: request.requestTime)
        if newer?.contains(column.index.rawValue) == true { return }
        if isUnsent, try !writer.isKnown(property, of: record, as: old.first) { return }
        let embedded = try readEmbeddedObject(&reader, of: target, over: old.first, isFlat: property.isAtRoot)
        guard old.first != embedded else { return }
        try owner.statements.update([(column: column, value: StoredValue(embedded))], in: row.id)
        try writer.keepOneToOne(column, of: record, to: embedded, &progress)
        noteChange(of: row.id, in: owner)
    }

    /// Embedded objects with keys among their owner's are read once the owner has a row.
    mutating func noteFlatParts(of object: ReadingObject, from body: JSONReader) throws {
        var keys = body
        if schema.style(of: object.plan.model).document == .jsonAPI, try !enter("attributes", in: &keys) { return }
        guard try keys.peekKind() == .object else { return }
        let (offset, plan) = (keys.offset, object.plan)
        var missing = plan.flatParts
        guard try keys.enterObject() else { return }
        repeat {
            let key = keys.string(try keys.readKey())
            for part in missing where try hasName(key, self.plan(ofTarget: part, in: plan)) {
                object.frame.postponed.append(ImportFrame.Postponed(property: part, offset: offset))
                missing.removeAll { $0 == part }
            }
            _ = try keys.skipValue()
        } while try !missing.isEmpty && keys.continueObject()
    }

    /// Whether the key is a property's, or begins one's key path.
    private func hasName(_ key: String, _ plan: ImportPlan) -> Bool {
        plan.model.names?.inbound.match(key) != nil || plan.model.properties.contains { $0.jsonPath.first == key }
    }

    /// Includes the columns of embedded objects, which are read later.
    func receivedColumns(of object: ReadingObject) -> ColumnMask {
        var columns = object.frame.present
        for postponed in object.frame.postponed {
            if let column = object.plan.model.column(of: postponed.property) { columns.insert(column.index.rawValue) }
        }
        return columns
    }

    private mutating func readEmbeddedList(
        _ reader: inout JSONReader, of plan: ImportPlan, over old: [RowID], in owner: ListOwner
    ) throws -> [RowID] {
        var members: [RowID] = []
        guard try reader.enterArray() else { return members }
        // Matching needs all elements.
        var elements: [EmbeddedElement] = []
        defer { for element in elements { plan.recycle(element.object.frame) } }
        var index = 0
        repeat {
            try countElement()
            path.append(.element(index))
            switch try reader.peekKind() {
            case .object where old.isEmpty: members.append(try readEmbeddedObject(&reader, of: plan, over: nil))
            case .object:
                var element = try readElement(&reader, of: plan, at: index)
                let place = elements.count
                if place < old.count {
                    element.compared = (old[place], try isStored(element.object, in: old[place]))
                }
                elements.append(element)
            case .null: _ = try reader.readScalar()
            default: reject(.notAnObject(found: try describeNext(&reader)), of: plan.model)
            }
            path.removeLast()
            index += 1
        } while try reader.continueArray()
        let isAsBefore = elements.allSatisfy(\.isSame)
        let sent = try isAsBefore ? nil : rowsSent(as: elements, in: owner, over: old, plan)
        let present = sent == nil ? [] : Set(old)
        let rows =
            try sent.map { rows in rows.map { present.contains($0) ? $0 : nil } }
            ?? rows(of: elements, amongst: old, in: plan)
        for (element, row) in zip(elements, rows) {
            path.append(.element(element.index))
            members.append(try store(element, into: row))
            path.removeLast()
        }
        return members
    }

    private mutating func readEdited(
        _ property: PropertyIndex, of target: ImportPlan, in object: ReadingObject, _ record: RecordID,
        from reader: inout JSONReader
    ) throws {
        var elements: [EmbeddedElement] = []
        defer { for element in elements { target.recycle(element.object.frame) } }
        if try reader.enterArray() {
            var index = 0
            repeat {
                try countElement()
                path.append(.element(index))
                switch try reader.peekKind() {
                case .object: elements.append(try readElement(&reader, of: target, at: index))
                case .null: _ = try reader.readScalar()
                default: reject(.notAnObject(found: try describeNext(&reader)), of: target.model)
                }
                path.removeLast()
                index += 1
            } while try reader.continueArray()
        }
        guard let list = object.plan.model[property].list, list.options.merges != true,
            !isPart(property, of: object, read: elements.count)
        else { return }
        try storeEdited(elements, as: list, of: ListOwner(property, of: record), in: object.plan)
    }

    /// The server's list becomes the base. Local additions, removals and edits stay.
    mutating func storeEdited(
        _ elements: [EmbeddedElement], as list: List, of owner: ListOwner, in plan: ImportPlan
    ) throws {
        let target = try self.plan(ofTarget: owner.property, in: plan)
        let old = try writer.statements.members(of: list, owner: owner.record.row)
        guard !isOvertaken(owner), var parts = try writer.editedParts(owner, of: old, in: list.target) else { return }
        let (left, taken, known) = try matches(of: elements, &parts, among: old, of: owner, in: target)
        let rest = elements.indices.filter { !left.contains($0) && taken[$0] == nil && known[$0] == nil }
        let found = try rows(of: rest.map { elements[$0] }, amongst: parts.known, in: target)
        let rows = taken.merging(known) { $1 }.merging(
            zip(rest, found).compactMap { index, row in row.map { (index, $0) } }
        ) { $1 }
        var (named, serverKeys): ([RowID], [String]) = ([], [])
        var gone = parts.left[...]
        for (index, element) in elements.enumerated() {
            if left.contains(index) {
                serverKeys.append(gone.removeFirst())
                continue
            }
            path.append(.element(element.index))
            let row = try store(element, into: rows[index])
            // The server has just received the added object, so this reply is the newest.
            if isLate, taken[index] != nil, writer.unsentRows[list.target].contains(row) {
                try updateBases(element.object, in: row, beneath: target.statements.unsentChanges(of: row))
            }
            named.append(row)
            serverKeys.append(Writer.partKey(row))
            path.removeLast()
        }
        let edited = writer.unsentRows[list.target]
        // The file's order stays if the server has accepted added objects, or may have.
        let isAtRisk = containers.contains { writer.operations.hasUnknownOutcome($0) }
        let members = old.rebased(
            onto: named, from: parts.known.with(Set(taken.values), placedAsIn: old),
            isOrdered: !taken.isEmpty || isAtRisk, keeping: edited.contains)
        let isSent = containers.contains { writer.operations.isSent($0) }
        try writer.keep(
            parts, of: owner, serverKeys: serverKeys,
            isSame: members == named && !isSent && !named.contains(where: edited.contains))
        try writer.noteWhole(owner, since: request.requestTime)
        noteAnswer(naming: members, over: old, isWhole: true, in: list, of: owner)
        guard members != old else { return }
        try write(members, over: old, in: list, of: owner, isNew: false)
        noteChange(of: owner.record.row, in: plan)
    }

    /// Sorts elements: removed locally (`left`), made of local additions (`taken`), on the server before (`known`).
    private mutating func matches(
        of elements: [EmbeddedElement], _ parts: inout Writer.EditedParts, among old: [RowID], of owner: ListOwner,
        in target: ImportPlan
    ) throws -> (left: Set<Int>, taken: [Int: RowID], known: [Int: RowID]) {
        if let rows = try rowsSent(as: elements, in: owner, over: old, target) {
            return try matches(of: elements, sentAs: rows, &parts, among: old, in: target)
        }
        let (left, taken) = try likelyMatches(of: elements, &parts, among: old, in: target)
        return (left, taken, [:])
    }

    private func matches(
        of elements: [EmbeddedElement], sentAs rows: [RowID], _ parts: inout Writer.EditedParts, among old: [RowID],
        in target: ImportPlan
    ) throws -> (left: Set<Int>, taken: [Int: RowID], known: [Int: RowID]) {
        let (present, isKnown, columns) = (Set(old), Set(parts.known), target.model.attributeColumns)
        var (left, taken, known): (Set<Int>, [Int: RowID], [Int: RowID]) = ([], [:], [:])
        let (table, sent) = (target.model.table, Set(rows))
        // An object added since the request stands for an equal one that was sent and then removed, even after an
        // earlier reply made it known.
        var added: [String: [RowID]] = [:]
        let others = old.reversed().filter { !sent.contains($0) }
        for row in others.filter(isKnown.contains) + others.filter({ !isKnown.contains($0) }) {
            guard let values = try writer.statements[table].values(of: columns, in: row) else { continue }
            added[writer.leftKey(of: values, in: table), default: []].append(row)
        }
        parts.left = []
        for (index, row) in rows.enumerated() {
            if !present.contains(row) {
                let values = columns.map { elements[index].object.frame[$0.index].stored }
                let key = writer.leftKey(of: values, in: table)
                if let equal = added[key]?.popLast() {
                    if isKnown.contains(equal) { known[index] = equal } else { taken[index] = equal }
                } else {
                    left.insert(index)
                    parts.left.append(key)
                }
            } else if isKnown.contains(row) {
                known[index] = row
            } else {
                taken[index] = row
            }
        }
        return (left, taken, known)
    }

    /// The row sent for each element. Nil unless a request in flight, or with an unknown outcome, sent exactly this
    /// list.
    private func rowsSent(
        as elements: [EmbeddedElement], in owner: ListOwner, over old: [RowID], _ plan: ImportPlan
    ) throws -> [RowID]? {
        guard containers.contains(where: { writer.operations.isSent($0) }) else { return nil }
        let (table, columns) = (plan.model.table, plan.model.attributeColumns)
        func isSent(_ list: [SentList.Element]) -> Bool {
            list.count == elements.count
                && zip(list, elements).allSatisfy { sent, element in
                    let received = columns.map { element.object.frame[$0.index].stored }
                    return plan.model.isSame(received, as: sent.values, in: columns)
                }
        }
        if let sent = writer.operations.sentLists(of: owner).first(where: isSent) { return sent.map(\.row) }
        // Files of earlier versions lose the sent lists on a restart. Those requests sent the saved list.
        guard old.count == elements.count, containers.contains(where: { writer.operations.hasUnknownOutcome($0) })
        else {
            return nil
        }
        let saved = try old.map { row in
            SentList.Element(row, try writer.statements[table].values(of: columns, in: row) ?? [])
        }
        return isSent(saved) ? old : nil
    }

    private mutating func likelyMatches(
        of elements: [EmbeddedElement], _ parts: inout Writer.EditedParts, among old: [RowID], in target: ImportPlan
    ) throws -> (left: Set<Int>, taken: [Int: RowID]) {
        let (table, columns) = (target.model.table, target.model.attributeColumns)
        let contents = elements.map { element in columns.map { element.object.frame[$0.index].stored } }
        let keys = contents.map { writer.leftKey(of: $0, in: table) }
        // By values, in the server's order: whether the element was removed locally. If the server has fewer now, it
        // lacks the removed ones.
        var base = try writer.elementsByValues(parts, in: table)
        for (key, count) in Dictionary(keys.map { ($0, 1) }, uniquingKeysWith: +) {
            var surplus = (base[key]?.count ?? 0) - count
            base[key]?.removeAll { isLeft in
                defer { if isLeft { surplus -= 1 } }
                return isLeft && surplus > 0
            }
        }
        var sent = try sentElements(among: old, without: parts.known, columns, in: target)
        var added: [String: [RowID]] = [:]
        for (row, values) in sent.reversed() { added[writer.leftKey(of: values, in: table), default: []].append(row) }
        var (left, taken): (Set<Int>, [Int: RowID]) = ([], [:])
        var used: Set<RowID> = []
        var rest: [(index: Int, values: [StoredValue])] = []
        parts.left = []
        func leave(_ index: Int, _ key: String) {
            left.insert(index)
            parts.left.append(key)
        }
        for (index, key) in keys.enumerated() {
            if base[key]?.contains(false) == true {
                if base[key]?.removeFirst() == true { leave(index, key) }
            } else if let row = added[key]?.popLast(where: { !used.contains($0) }) {
                taken[index] = row
                used.insert(row)
            } else if base[key]?.popLast() != nil {
                leave(index, key)
            } else {
                rest.append((index, contents[index]))
            }
        }
        sent.removeAll { used.contains($0.row) }
        guard sent.count * rest.count <= Self.mostPairs else { return (left, taken) }
        return (left, taken.merging(target.model.pairs(of: rest, with: sent, in: columns)) { known, _ in known })
    }

    /// Local additions with the values of each request that may have sent them.
    private func sentElements(
        among old: [RowID], without known: [RowID], _ columns: [Column], in target: ImportPlan
    ) throws -> [(row: RowID, values: [StoredValue])] {
        guard containers.contains(where: { writer.operations.isSent($0) }) else { return [] }
        let isKnown = Set(known)
        let table = target.model.table
        return try old.filter { !isKnown.contains($0) }.flatMap { row in
            var sent = writer.operations.sentValues(of: RecordID(table: table, row: row))
            if let first = try writer.sentValues(ofNew: row, in: table) { sent.append(first) }
            // An earlier run of the program may have sent its current values.
            if try sent.isEmpty || writer.wasSentBefore(RecordID(table: table, row: row)),
                let values = try target.statements.values(of: columns, in: row), !sent.contains(values)
            {
                sent.append(values)
            }
            return sent.map { (row, $0) }
        }
    }

    private static let mostPairs = 4096

    /// - Parameter known: the object's row. Nil inserts one.
    private mutating func readEmbeddedObject(
        _ reader: inout JSONReader, of plan: ImportPlan, over known: RowID?, isFlat: Bool = false
    ) throws -> RowID {
        // Keys missing from the owner's JSON leave a flat object's values.
        let element = try readElement(&reader, of: plan, isPart: isFlat && known != nil)
        defer { plan.recycle(element.object.frame) }
        return try store(element, into: known)
    }

    struct EmbeddedElement {
        let object: ReadingObject
        /// Stands before the object.
        let body: JSONReader
        let index: Int
        /// The row in the same place, and whether it is equal.
        var compared: (row: RowID, isSame: Bool)?
        var isSame: Bool { compared?.isSame == true }
    }

    private mutating func readElement(
        _ reader: inout JSONReader, of plan: ImportPlan, at index: Int = 0, isPart: Bool = false
    ) throws -> EmbeddedElement {
        counts.nested += 1
        let element = EmbeddedElement(object: ReadingObject(plan, plan.frame()), body: reader, index: index)
        try readKeys(&reader, of: element.object, at: plan.nodes[0])
        if !element.object.frame.loose.isEmpty { try readLoose(of: element.object, from: element.body) }
        if plan.hasReaders { try readByOwnCode(element.object, from: element.body) }
        if !isPart { fillAbsent(in: element.object) }
        return element
    }

    private mutating func store(_ element: EmbeddedElement, into known: RowID?) throws -> RowID {
        let (object, plan) = (element.object, element.object.plan)
        let isSame = element.compared.flatMap { $0.row == known ? $0.isSame : nil }
        let row = try storeEmbedded(object, into: known, isSame: isSame)
        try storeRelationships(of: object, from: element.body, row)
        for list in plan.model.listProperties where !row.isNew && !object.frame.isRead(list) {
            try store([], in: list, of: row, plan)
        }
        return row.id
    }

    /// Each element's row. Nil for a new row.
    ///
    /// The candidates, in this order: the row in the same place with equal values; another such row; a row sent with
    /// these values; the row that shares the most values; the row in the same place, unless edited. So edits stay with
    /// their object when the server inserts elements.
    private func rows(
        of elements: [EmbeddedElement], amongst old: [RowID], in plan: ImportPlan
    ) throws -> [RowID?] {
        var rows: [RowID?] = Array(repeating: nil, count: elements.count)
        if elements.allSatisfy(\.isSame) { return Array(old.prefix(elements.count)) }
        let columns = plan.model.attributeColumns
        let contents = elements.map { element in
            element.isSame ? [] : columns.map { element.object.frame[$0.index].stored }
        }
        let former = try old.enumerated().map { place, row in
            let isTaken = place < elements.count && elements[place].isSame
            return isTaken ? nil : try writer.serverValues(of: row, in: plan.model.table)
        }
        var free = Set(old)
        func take(_ row: RowID, for index: Int) { rows[index] = free.remove(row) }
        for index in elements.indices where elements[index].isSame { take(old[index], for: index) }
        for index in zip(contents, former).enumerated().filter({ $1.0 == $1.1 }).map(\.offset) {
            take(old[index], for: index)
        }
        guard !free.isEmpty else { return rows }
        var places: [[StoredValue]: [RowID]] = [:]
        for (row, values) in zip(old, former).reversed() where free.contains(row) {
            if let values { places[values, default: []].append(row) }
        }
        for index in elements.indices where rows[index] == nil {
            if let row = places[contents[index]]?.popLast() { take(row, for: index) }
        }
        for (index, row) in try sent(contents, rows, among: old.filter(free.contains), by: columns, in: plan) {
            take(row, for: index)
        }
        for (index, row) in likest(contents, rows, among: Array(zip(old, former))) where free.contains(row) {
            if rows[index] == nil { take(row, for: index) }
        }
        for index in elements.indices.prefix(old.count) where rows[index] == nil && free.contains(old[index]) {
            if isEdited(RecordID(table: plan.model.table, row: old[index])) { continue }
            take(old[index], for: index)
        }
        return rows
    }

    /// Matches elements with rows sent with their values, while the request's outcome is open.
    private func sent(
        _ contents: [[StoredValue]], _ rows: [RowID?], among free: [RowID], by columns: [Column], in plan: ImportPlan
    ) throws -> [(index: Int, row: RowID)] {
        guard containers.contains(where: { writer.operations.isSent($0) }) else { return [] }
        let table = plan.model.table
        let sent = free.flatMap { row in
            writer.operations.sentValues(of: RecordID(table: table, row: row)).map { (row, $0) }
        }
        let new = contents.indices.filter { rows[$0] == nil }.map { (index: $0, values: contents[$0]) }
        guard !sent.isEmpty, new.count * sent.count <= Self.mostPairs else { return [] }
        return plan.model.pairs(of: new, with: sent, in: columns).map { (index: $0.key, row: $0.value) }
    }

    /// Whether the row has a pending edit beyond those that the reply acknowledges.
    private func isEdited(_ part: RecordID) -> Bool {
        writer.unsentRows[part.table].contains(part.row) || !request.isConfirmation && writer.operations.isEdited(part)
    }

    /// Matches elements with rows that share values: the most shared values first, then the same place.
    private func likest(
        _ contents: [[StoredValue]], _ rows: [RowID?], among former: [(row: RowID, values: [StoredValue]?)]
    ) -> [(index: Int, row: RowID)] {
        let taken = Set(rows.compactMap(\.self))
        let free = former.enumerated().filter { !taken.contains($1.row) }
        let new = contents.indices.filter { rows[$0] == nil }
        guard !new.isEmpty, free.count * new.count <= Self.mostPairs else { return [] }
        var pairs: [(index: Int, row: RowID, shared: Int, isInPlace: Bool)] = []
        for index in new {
            for (place, (row, values)) in free {
                let shared = zip(contents[index], values ?? []).count { $0 == $1 && !$0.isNull }
                if shared > 0 { pairs.append((index, row, shared, place == index)) }
            }
        }
        pairs.sort { ($0.shared, $0.isInPlace ? 1 : 0, -$0.index) > ($1.shared, $1.isInPlace ? 1 : 0, -$1.index) }
        return pairs.map { ($0.index, $0.row) }
    }

    /// Missing keys mean defaults: an embedded object is replaced as a whole.
    private mutating func fillAbsent(in object: ReadingObject) {
        let (plan, frame) = (object.plan, object.frame)
        for column in plan.model.columns where !frame.has(column.index) {
            let property = plan.model[column.property]
            if property.link != nil {
                let isToOwner = schema.inverse(of: property)?.owns ?? false
                if !isToOwner, !frame.isRead(property.index) { frame[column.index] = .null }
            } else {
                frame[column.index] = defaultSlot(of: column.index, in: plan)
                frame.defaulted.insert(column.index.rawValue)
            }
        }
    }
}

extension [RowID] {
    /// Also removes all rows behind the found one.
    fileprivate mutating func popLast(where isWanted: (RowID) -> Bool) -> RowID? {
        while let row = popLast() { if isWanted(row) { return row } }
        return nil
    }
}
