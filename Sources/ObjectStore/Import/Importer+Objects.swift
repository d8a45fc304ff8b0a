import Conventions
import JSONBytes

/// An object between bytes and row. Pass it on unchanged: a copy would retain its references for each value.
struct ReadingObject {
    let plan: ImportPlan
    let frame: ImportFrame

    init(_ plan: ImportPlan, _ frame: ImportFrame) {
        self.plan = plan
        self.frame = frame
    }

    var identity: [StoredValue] { plan.identity.map { frame[$0].stored } }

    /// The lists in the JSON, by ``ModelSchema/number(ofList:)``.
    var receivedLists: ColumnMask {
        var lists = ColumnMask()
        for list in frame.lists { insert(list.property, into: &lists) }
        for relationship in frame.postponed { insert(relationship.property, into: &lists) }
        return lists
    }

    @inline(__always)
    private func insert(_ list: PropertyIndex, into lists: inout ColumnMask) {
        if let number = plan.model.number(ofList: list) { lists.insert(number) }
    }
}

extension Importer {
    /// - Parameters:
    ///   - expected: the root stands for any model.
    ///   - isAnswer: whether the object must have a key of the model.
    /// - Returns: nil if the object was rejected, or is deleted.
    mutating func readObject(
        _ reader: inout JSONReader, of plan: ImportPlan, into target: RowID? = nil,
        expecting expected: SubmodelIndex = .root, isAnswer: Bool = false
    ) throws -> RowID? {
        let frame = plan.frame()
        defer { plan.recycle(frame) }
        let object = ReadingObject(plan, frame)
        let body = reader
        var submodel = SubmodelIndex.root
        if let family = plan.family {
            let model = try model(of: reader, in: plan, target, expecting: expected)
            submodel = model.submodel
            try readKeys(&reader, of: object, at: plan.nodes[family.node(of: submodel)])
            if model.isExpected, let value = family.models.values(of: model.submodel).first {
                frame[family.models.column] = memory.slot(value)
            }
        } else {
            try readKeys(&reader, of: object, at: plan.nodes[0])
        }
        if !frame.loose.isEmpty { try readLoose(of: object, from: body) }
        if !frame.choices.isEmpty { try readChoices(of: object, from: body) }
        if !plan.flatParts.isEmpty { try noteFlatParts(of: object, from: body) }
        if plan.hasReaders { try readByOwnCode(object, as: submodel, from: body) }
        if let newest = request.newest, depth == 0 { noteNewest(newest, of: object) }
        let isBlank = isAnswer && frame.isBlank && plan.declaresMoreThanIdentity
        if plan.hasDefaultsByAbsence, request.teachesShapes, !request.isOfParts {
            addDefaults(to: object, as: submodel)
        }
        guard try completeIdentity(of: object, target), try !refusesClaimed(object, target) else { return nil }
        if isBlank {
            reject(.nothingKnown, of: plan.model)
            return nil
        }
        let target = try applyServerIdentity(of: object, for: target)
        if try wasDeleted(object, isTarget: target != nil) {
            deletedCount += 1
            return nil
        }
        let isDeleted = isDeleted(object)
        if request.version != nil, let overtaken = try overtaking(object, isDeletion: isDeleted) {
            outcome.hasKeptNewer = true
            if case .row(let row) = overtaken { return row }
            deletedCount += 1
            return nil
        }
        if isDeleted {
            try keepTombstone(of: object)
            try noteDeleted(object, target)
            return nil
        }
        if !plan.columnsSentByValues.isEmpty { try unifyTargets(of: object, target) }
        let row = try store(object, into: target ?? rowOfNestedCreation(of: object))
        if row.isNew, request.version != nil { try forgetTombstone(of: object) }
        // The last occurrence in a body counts.
        if !reportedDeleted.isEmpty { reportedDeleted.remove(RecordID(table: plan.model.table, row: row.id)) }
        if row.isNewer {
            outcome.hasKeptNewer = true
            return row.id
        }
        try storeRelationships(of: object, from: body, row)
        // Last: a pending link of the object may lead to itself.
        try resolvePendingLinks(to: object, row.id)
        return row.id
    }

    mutating func readByOwnCode(
        _ object: ReadingObject, as submodel: SubmodelIndex = .root, from body: JSONReader
    ) throws {
        let model = object.plan.model.models[submodel.rawValue]
        guard let type = model.type as? any ImportReading.Type else { return }
        var reader = body
        for (description, value) in type.importedValues(of: try JSONValue(&reader)) {
            guard let property = model.index(of: description), let column = object.plan.model.column(of: property)
            else { continue }
            object.frame[column.index] = memory.slot(value)
            object.frame.defaulted.remove(column.index.rawValue)
            if object.frame.failedColumns.contains(column.index.rawValue) {
                object.frame.failedColumns.remove(column.index.rawValue)
                forgetMismatch(of: property, in: object.plan)
            }
        }
    }

    // MARK: Keys

    /// Also reads objects within key paths.
    mutating func readKeys(_ reader: inout JSONReader, of object: ReadingObject, at node: KeyNode) throws {
        guard try reader.enterObject() else { return }
        var expected = 0
        let known = node.orderCount
        repeat {
            switch try node.nextAction(&reader, &expected, below: known) {
            case .ignore: _ = try reader.skipValue()
            case .attribute(let column): try readAttribute(&reader, column, of: object)
            case .link(let link):
                try refuseSecond(link.property, of: object, reader)
                try readLink(&reader, link, of: object)
            case .linkIdentity(let link):
                try refuseSecond(link.property, isIdentity: true, of: object, reader)
                try readLinkIdentity(&reader, link, of: object)
            case .list(let property):
                try refuseSecond(property, of: object, reader)
                try readListObjects(&reader, property, of: object)
            case .listIdentities(let property):
                try refuseSecond(property, isIdentity: true, of: object, reader)
                try readListIdentities(&reader, property, of: object)
            case .attributeAndIdentities(let column, let relationship):
                var again = reader
                try readAttribute(&reader, column, of: object)
                try readIdentities(&again, of: relationship, of: object)
            case .choice(let property, let role): try noteChoice(&reader, of: property, as: role, in: object)
            case .attributeAndChoice(let column, let property, let role):
                var again = reader
                try readAttribute(&reader, column, of: object)
                try noteChoice(&again, of: property, as: role, in: object)
            case .linkage(let link):
                try refuseSecond(link.property, of: object, reader)
                try readLinkage(&reader, link, of: object)
            case .linkages(let property):
                try refuseSecond(property, of: object, reader)
                try readLinkages(&reader, property, of: object)
            case .loose(let property): try readLater(&reader, property, of: object)
            case .looseIdentity(let property): try readLater(&reader, property, isIdentity: true, of: object)
            case .nested(let node): try readInner(&reader, node, of: object, mustBeObject: true)
            case .tombstone: try readTombstone(&reader, of: object)
            case .pageSign(let key, let list): try readSign(&reader, key, of: list, in: object)
            case .linkAndNested(let link, let node):
                try refuseSecond(link.property, of: object, reader)
                try readWithInner(&reader, at: node, of: object) { (importer, reader) throws in
                    try importer.readLink(&reader, link, of: object)
                }
            case .attributeAndNested(let column, let node):
                try readWithInner(&reader, at: node, of: object) { (importer, reader) throws in
                    try importer.readAttribute(&reader, column, of: object)
                }
            case .listAndNested(let property, let node):
                try refuseSecond(property, of: object, reader)
                try readWithInner(&reader, at: node, of: object) { (importer, reader) throws in
                    try importer.readListObjects(&reader, property, of: object)
                }
            case .choiceAndNested(let property, let node):
                try readWithInner(&reader, at: node, of: object) { (importer, reader) throws in
                    try importer.noteChoice(&reader, of: property, as: .object, in: object)
                }
            }
        } while try reader.continueObject()
    }

    /// The identities are also an attribute's value.
    mutating func readIdentities(
        _ reader: inout JSONReader, of relationship: PropertyIndex, of object: ReadingObject
    ) throws {
        try refuseSecond(relationship, isIdentity: true, of: object, reader)
        if let column = object.plan.model.column(of: relationship)?.index {
            try readLinkIdentity(&reader, LinkField(property: relationship, column: column), of: object)
        } else {
            try readListIdentities(&reader, relationship, of: object)
        }
    }

    /// Skips the value of a loosely spelled key.
    mutating func readLater(
        _ reader: inout JSONReader, _ property: PropertyIndex, isIdentity: Bool = false, of object: ReadingObject
    ) throws {
        _ = try reader.peekKind()
        object.frame.loose.append(
            ImportFrame.Postponed(property: property, offset: reader.offset, isIdentity: isIdentity))
        _ = try reader.skipValue()
    }

    /// Loosely spelled keys count only if the exact key is missing.
    mutating func readLoose(of object: ReadingObject, from body: JSONReader) throws {
        let (frame, plan) = (object.frame, object.plan)
        for value in frame.loose {
            var reader = body
            try reader.move(to: value.offset)
            let isKnown: Bool
            switch KeyNodeCompiler.action(for: plan.model[value.property]) {
            case .link(let link) where value.isIdentity:
                isKnown = frame.hasRead(link.property, isIdentity: true)
                if isKnown { break }
                try refuseSecond(link.property, isIdentity: true, of: object, reader)
                try readLinkIdentity(&reader, link, of: object)
            case .list(let property) where value.isIdentity:
                isKnown = frame.hasRead(property, isIdentity: true)
                if isKnown { break }
                try refuseSecond(property, isIdentity: true, of: object, reader)
                try readListIdentities(&reader, property, of: object)
            case .attribute(let column):
                isKnown = frame.has(column)
                if isKnown { break }
                var again = reader
                try readAttribute(&reader, column, of: object)
                guard let relationship = plan.model.relationshipsAtKeys[value.property],
                    !frame.hasRead(relationship, isIdentity: true)
                else { break }
                try readIdentities(&again, of: relationship, of: object)
            case .choice(let property, let role):
                isKnown = frame.hasRead(property)
                if isKnown { break }
                try noteChoice(&reader, of: property, as: role, in: object)
            case .link(let link):
                isKnown = frame.hasRead(link.property)
                if isKnown { break }
                try refuseSecond(link.property, of: object, reader)
                try readLink(&reader, link, of: object)
            case .list(let property):
                isKnown = frame.hasRead(property)
                if isKnown { break }
                try refuseSecond(property, of: object, reader)
                try readListObjects(&reader, property, of: object)
            default: continue
            }
            guard isKnown else { continue }
            let found = try describeNext(&reader)
            noteMismatch(of: value.property, in: plan, expected: "one spelling of the key", found: found)
        }
    }

    /// Null also clears the properties with key paths into the value.
    private mutating func readWithInner(
        _ reader: inout JSONReader, at node: Int, of object: ReadingObject,
        _ readWhole: (inout Importer, inout JSONReader) throws -> Void
    ) throws {
        var again = reader
        try readWhole(&self, &reader)
        if try again.peekKind() == .null { return clear(node, of: object) }
        try readInner(&again, node, of: object)
    }

    /// - Parameter mustBeObject: whether the value has these parts only. Then anything but an object is reported.
    private mutating func readInner(
        _ reader: inout JSONReader, _ node: Int, of object: ReadingObject, mustBeObject: Bool = false
    ) throws {
        if try reader.peekKind() == .object {
            try readKeys(&reader, of: object, at: object.plan.nodes[node])
        } else {
            if mustBeObject, let path = object.plan.nodes[node].path { try noteNoObject(reader, at: path) }
            _ = try reader.skipValue()
        }
    }

    private mutating func clear(_ node: Int, of object: ReadingObject) {
        let (plan, frame) = (object.plan, object.frame)
        for action in plan.nodes[node].actions {
            switch action {
            case .attribute(let column), .attributeAndNested(let column, _), .attributeAndIdentities(let column, _),
                .attributeAndChoice(let column, _, _):
                guard !frame.has(column), !plan.identity.contains(column), !plan[column].isIgnored else { continue }
                readNull(column, of: object)
            default: break
            }
            if let inner = action.node { clear(inner, of: object) }
        }
    }

    /// A second value must equal the first: readers disagree about duplicate keys (RFC 7493 §2.3).
    @inline(never)
    private mutating func readAgain(
        _ reader: inout JSONReader, _ column: ColumnIndex, of object: ReadingObject
    ) throws {
        let known = object.frame[column]
        let value = known.stored
        object.frame[column] = .absent
        try readAttribute(&reader, column, of: object)
        guard object.frame.has(column), object.frame[column].stored == value else {
            throw duplicateKey(object.plan.model[column].property, of: object, reader)
        }
        object.frame[column] = known
    }

    /// As `readAgain`, for each of the keys `owner` and `owner_id`. Reading the same bytes twice is allowed.
    func refuseSecond(
        _ property: PropertyIndex, isIdentity: Bool = false, of object: ReadingObject, _ reader: borrowing JSONReader
    ) throws {
        let key = ImportFrame.RelationshipKey(property: property, isIdentity: isIdentity, offset: reader.offset)
        if !object.plan.received[property.rawValue] { object.plan.received[property.rawValue] = true }
        guard let known = object.frame.relationshipKeys.first(where: { $0.isSame(as: key) }) else {
            object.frame.relationshipKeys.append(key)
            return
        }
        guard try isSameValue(at: known.offset, as: copy reader) else {
            throw duplicateKey(property, of: object, reader)
        }
    }

    private func isSameValue(at offset: Int, as reader: JSONReader) throws -> Bool {
        var (first, second) = (reader, reader)
        try first.move(to: offset)
        let values = (try first.skipValue(), try second.skipValue())
        return unsafe equal(first.bytes(of: values.0), second.bytes(of: values.1))
    }

    @inline(never)
    private func duplicateKey(
        _ property: PropertyIndex, of object: ReadingObject, _ reader: borrowing JSONReader
    ) -> JSONError {
        reader.duplicateKey(at: pathText(to: .property(property, of: object.plan.model.table)))
    }

    // MARK: Attributes

    @inline(__always)
    mutating func readAttribute(
        _ reader: inout JSONReader, _ column: ColumnIndex, of object: ReadingObject
    ) throws {
        if object.frame.has(column) { return try readAgain(&reader, column, of: object) }
        let conversion = object.plan[column]
        let kind = try reader.peekKind()
        if kind == .object || kind == .array || conversion.isWhole {
            return try readWholeValue(&reader, column, of: object)
        }
        let scalar = try reader.readScalar()
        if scalar.kind == .null {
            readNull(column, of: object)
            object.plan.shapes.noteNull(of: column)
        } else if let slot = conversion.slot(for: scalar, in: reader, &memory) {
            object.frame[column] = slot
            if object.plan.shapes.isNewShape(slot.shape, of: column) {
                try noteShape(slot.shape, of: column, in: object, written: reader.text(of: scalar))
            }
        } else if scalar.kind == .string, scalar.count == 0, conversion.isEmptyTextNothing {
            readNothing(column, of: object)
        } else {
            object.frame.failedColumns.insert(column.rawValue)
            noteMismatch(of: column, in: object.plan, found: describe(scalar, reader))
        }
    }

    /// The server writes nil as `""`.
    private mutating func readNothing(_ column: ColumnIndex, of object: ReadingObject) {
        readNull(column, of: object)
        object.plan.shapes.noteEmptyText(of: column)
    }

    /// Sets missing properties, for APIs that omit nil values.
    private mutating func addDefaults(to object: ReadingObject, as submodel: SubmodelIndex) {
        for column in object.plan.defaultedByAbsence(in: submodel)
        where !object.frame.has(column) && !object.frame.failedColumns.contains(column.rawValue) {
            object.frame[column] = defaultSlot(of: column, in: object.plan)
        }
        for property in object.plan.emptiedByAbsence(in: submodel)
        where !object.frame.hasRead(property) && !object.frame.isRead(property) {
            object.plan.received[property.rawValue] = true
            if let column = object.plan.model.column(of: property)?.index {
                object.frame[column] = .null
            } else {
                object.frame.lists.append((property, []))
            }
        }
    }

    /// For values other than scalars, and conversions of whole values.
    private mutating func readWholeValue(
        _ reader: inout JSONReader, _ column: ColumnIndex, of object: ReadingObject
    ) throws {
        var again = reader
        var fragment = try reader.skipValue()
        guard !object.plan[column].isIgnored else { return }
        if fragment.kind == .object, object.plan.property(of: column).isResourceLink {
            var link = again
            if try enter("href", in: &link) {
                again = link
                fragment = try link.skipValue()
            }
        }
        if fragment.kind == .null {
            readNull(column, of: object)
            object.plan.shapes.noteNull(of: column)
        } else if fragment.isEmptyText, object.plan[column].isEmptyTextNothing {
            readNothing(column, of: object)
        } else if let slot = try object.plan.property(of: column).slot(&again, &memory) {
            object.frame[column] = slot
            if object.plan.shapes.isNewShape(slot.shape, of: column) {
                try noteShape(slot.shape, of: column, in: object, written: reader.text(of: fragment))
            }
        } else {
            object.frame.failedColumns.insert(column.rawValue)
            noteMismatch(of: column, in: object.plan, found: describe(fragment, reader))
        }
    }

    /// Moves to the value of an object's key. Returns false if the key is missing.
    func enter(_ key: String, in reader: inout JSONReader) throws -> Bool {
        guard try reader.enterObject() else { return false }
        repeat {
            if try reader.string(reader.readKey()) == key { return true }
            _ = try reader.skipValue()
        } while try reader.continueObject()
        return false
    }

    /// A required attribute gets its default, which doesn't count as loaded.
    private mutating func readNull(_ column: ColumnIndex, of object: ReadingObject) {
        let slot = defaultSlot(of: column, in: object.plan)
        object.frame[column] = slot
        if slot.tag != .null { object.frame.defaulted.insert(column.rawValue) }
    }

    /// Nil for an optional attribute.
    mutating func defaultSlot(of column: ColumnIndex, in plan: ImportPlan) -> ImportSlot {
        if plan[column].isNil { return .null }
        guard case .attribute(_, let value, _) = plan.property(of: column).kind else { return .null }
        return memory.slot(value())
    }

    private mutating func noteMismatch(of column: ColumnIndex, in plan: ImportPlan, found: String) {
        let property = plan.property(of: column)
        noteMismatch(of: property.index, in: plan, expected: property.expectation, found: found)
    }
}

// MARK: Which model an object is

extension Importer {
    private struct Scan {
        var discriminator: StoredValue?
        /// Only parts before the discriminator.
        var identity: [ColumnIndex: ImportSlot] = [:]
    }

    /// The model by the object's discriminator, else by its row, else the expected one.
    private mutating func model(
        of object: JSONReader, in plan: ImportPlan, _ target: RowID?, expecting expected: SubmodelIndex
    ) throws -> (submodel: SubmodelIndex, isExpected: Bool) {
        guard let family = plan.family else { return (.root, false) }
        var reader = object
        var scan = Scan()
        _ = try self.scan(&reader, for: &scan, at: family.scanned[0], of: plan)
        if let received = scan.discriminator { return (family.models.submodel(of: received), false) }
        if let row = try target ?? find(scan.identity, in: plan),
            let stored = try discriminator(of: row, in: plan), stored != family.defaultDiscriminator()
        {
            return (family.models.submodel(of: stored), false)
        }
        return (expected, !expected.isRoot)
    }

    /// Stops at the discriminator.
    ///
    /// - Returns: whether the object has it.
    private mutating func scan(
        _ reader: inout JSONReader, for scan: inout Scan, at node: KeyNode, of plan: ImportPlan
    ) throws -> Bool {
        guard let family = plan.family, try reader.enterObject() else { return false }
        let discriminator = family.models.column
        var expected = 0
        let known = node.orderCount
        repeat {
            switch try node.nextAction(&reader, &expected, below: known) {
            case .attribute(let column) where column == discriminator || plan.identity.contains(column),
                .attributeAndChoice(let column, _, _) where column == discriminator || plan.identity.contains(column),
                .attributeAndIdentities(let column, _) where plan.identity.contains(column):
                let slot = try scannedSlot(&reader, column, of: plan)
                if column != discriminator {
                    scan.identity[column] = slot
                } else if let slot {
                    scan.discriminator = slot.stored
                    return true
                }
            case .loose(let property):
                guard let column = plan.model.column(of: property)?.index,
                    column == discriminator || plan.identity.contains(column)
                else {
                    _ = try reader.skipValue()
                    continue
                }
                let slot = try scannedSlot(&reader, column, of: plan)
                // The exact key may follow.
                if column == discriminator {
                    scan.discriminator = scan.discriminator ?? slot?.stored
                } else if scan.identity[column] == nil {
                    scan.identity[column] = slot
                }
            case .nested(let inner), .linkAndNested(_, let inner), .attributeAndNested(_, let inner),
                .listAndNested(_, let inner), .choiceAndNested(_, let inner):
                if try reader.peekKind() != .object {
                    _ = try reader.skipValue()
                } else if try self.scan(&reader, for: &scan, at: family.scanned[inner], of: plan) {
                    return true
                }
            default: _ = try reader.skipValue()
            }
        } while try reader.continueObject()
        return false
    }

    private mutating func scannedSlot(
        _ reader: inout JSONReader, _ column: ColumnIndex, of plan: ImportPlan
    ) throws -> ImportSlot? {
        let kind = try reader.peekKind()
        let conversion = plan[column]
        if kind == .object || kind == .array || conversion.isWhole {
            var again = reader
            let isNull = try reader.skipValue().kind == .null
            return isNull ? nil : try plan.property(of: column).slot(&again, &memory)
        }
        let scalar = try reader.readScalar()
        return scalar.kind == .null ? nil : conversion.slot(for: scalar, in: reader, &memory)
    }

    /// Missing links lead to the containing objects.
    private func find(_ identity: [ColumnIndex: ImportSlot], in plan: ImportPlan) throws -> RowID? {
        let slots = plan.identity.compactMap { column in
            identity[column] ?? container(for: column, of: plan.model).map { ImportSlot.row($0.row) }
        }
        guard slots.count == plan.identity.count else { return nil }
        if plan.mayBeRenamed { return try find(slots.map(\.stored), in: plan) }
        for (n, slot) in slots.enumerated() { plan.find.bind(slot, at: Int32(n + 1)) }
        return try foundRow(plan)
    }

    private func discriminator(of row: RowID, in plan: ImportPlan) throws -> StoredValue? {
        guard let family = plan.family else { return nil }
        let value = try plan.statements.value(of: plan.model[family.models.column], in: row)
        return value.isNull ? nil : value
    }

    private func model(of row: RowID, in plan: ImportPlan) throws -> ModelSchema {
        guard let family = plan.family else { return plan.model }
        return try plan.model.model(family.models.submodel(of: discriminator(of: row, in: plan) ?? .null))
    }

    /// Reports a row of another model, and leaves the link unset.
    mutating func isTarget(_ row: RowID, of link: LinkField, in plan: ImportPlan) throws -> Bool {
        let expected = plan.target(of: link.property)
        if expected.submodel.isRoot { return true }
        let target = try self.plan(expected.table)
        let model = try model(of: row, in: target)
        if target.family == nil || model.submodel == expected.submodel { return true }
        noteMismatch(
            of: link.property, in: plan, expected: withArticle(target.model.model(expected.submodel).modelName),
            found: withArticle(model.modelName))
        return false
    }

    /// Reports a row of another model.
    mutating func isMember(_ row: RowID, of plan: ImportPlan, expecting expected: SubmodelIndex) throws -> Bool {
        if expected.isRoot { return true }
        let model = try model(of: row, in: plan)
        if plan.family == nil || model.submodel == expected { return true }
        reject(.otherModel(found: model.modelName), of: plan.model.model(expected))
        return false
    }
}
