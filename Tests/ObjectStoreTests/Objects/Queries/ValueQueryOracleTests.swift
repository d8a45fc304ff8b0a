import Foundation
import ObjectStore
import RestfulData
import TestSupport
import Testing

/// An attribute of every kind that questions compare.
@Model
final class Specimen {
    enum Grade: String, CaseIterable { case low, middle, high }
    enum Size: Int, CaseIterable {
        case small = -1
        case medium = 2
        case large = 30
    }

    var identifier: Int?
    var text = ""
    var note: String?
    var count: Int?
    var size: UInt64?
    var wide: Int128?
    var price: Decimal?
    var ratio = 0.0
    var share: Float?
    var date: Date?
    var data: Data?
    var link: URL?
    var token: UUID?
    var isOn = false
    var flag: Bool?
    var grade: Grade = .low
    var girth: Size?
    @Relationship(inverse: nil) var other: Specimen?
}

/// Queries about values of every kind, and about linked objects, compared with a plain filter, sort and grouping of the
/// same objects in Swift.
@MainActor
@Suite struct ValueQueryOracleTests {
    @Test(arguments: UInt64(0)..<12)
    func `Queries of values match filters and groups in Swift`(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let store = try Store(of: [Specimen.self])
        try await store.main.take(Specimen.self, Specimens.body(&generator))
        let fields = Specimens.fields
        var kept: [Followed] = []
        for step in 0..<6 {
            for _ in 0..<Int.random(in: 1...4, using: &generator) { try edit(store.main, &generator) }
            switch Int.random(in: 0..<5, using: &generator) {
            case 0, 1: try await store.main.save()
            case 2: try await store.takeElsewhere(Specimen.self, Specimens.body(&generator))
            default: break
            }
            let all = try store.main.query(Specimen.self).fetch()
            for followed in kept {
                let (shown, fresh) = (followed.live.map(\.self), try followed.fresh(all))
                #expect(
                    shown.map(ObjectIdentifier.init) == fresh.map(ObjectIdentifier.init),
                    "\(followed.words), seed \(seed).\(step)")
            }
            for _ in 0..<12 {
                let (probe, order) = (Specimens.probe(&generator, depth: 2), Specimens.orders(&generator))
                let query = order.apply(store.main.query(Specimen.self).where { _ in probe.predicate })
                let expected = order.sorted(all.filter(probe.holds))
                let words = "\(probe.words) by \(order.words), seed \(seed).\(step)"
                check(try query.fetch(), expected, words)
                #expect(try query.count() == expected.count, "\(words)")
                let (offset, limit) = (
                    Int.random(in: 0..<4, using: &generator), Int.random(in: 0..<5, using: &generator)
                )
                check(
                    try query.limit(limit, offset: offset).fetch(), Array(expected.dropFirst(offset).prefix(limit)),
                    "\(words), page \(offset) \(limit)")
                if let last = expected.randomElement(using: &generator),
                    let place = expected.firstIndex(where: { $0 === last })
                {
                    check(try query.after(last).fetch(), Array(expected.dropFirst(place + 1)), "\(words), after")
                }
                for field in fields.shuffled(using: &generator).prefix(4) {
                    if !order.parts.isEmpty { try field.summary(query, expected, words) }
                    try field.groups(store.main.query(Specimen.self).where { _ in probe.predicate }, expected, words)
                }
                if kept.count < 8, step < 3 {
                    kept.append(
                        Followed(words: words, live: try query.live()) { order.sorted($0.filter(probe.holds)) })
                }
            }
        }
    }

    struct Followed {
        let words: String
        let live: LiveResults<Specimen>
        let fresh: ([Specimen]) throws -> [Specimen]
    }

    private func check(_ found: [Specimen], _ expected: [Specimen], _ words: String) {
        #expect(found.map(ObjectIdentifier.init) == expected.map(ObjectIdentifier.init), "\(words)")
    }

    private func edit(_ context: ObjectContext, _ generator: inout SeededGenerator) throws {
        let all = try context.query(Specimen.self).fetch()
        let known = all.randomElement(using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0:
            let new = Specimen(in: context)
            for _ in 0..<5 { Specimens.fields.randomElement(using: &generator)?.set(new, &generator) }
        case 1: if let known { context.delete(known) }
        case 2: known?.other = Bool.random(using: &generator) ? all.randomElement(using: &generator) : nil
        case 3: known?.rollback()
        default: if let known { Specimens.fields.randomElement(using: &generator)?.set(known, &generator) }
        }
    }
}

/// One attribute, its type aside.
struct SpecimenField {
    let words: String
    let probe: (inout SeededGenerator) -> Probe<Specimen>
    let order:
        (ObjectQuery<Specimen>, ObjectQuery<Specimen>.Direction, ObjectQuery<Specimen>.NilPlacement) ->
            ObjectQuery<Specimen>
    /// Negative if the left one comes first; nil if a value is missing.
    let compare: (Specimen, Specimen) -> Int?
    let isNil: (Specimen) -> Bool
    let set: (Specimen, inout SeededGenerator) -> Void
    let summary: (ObjectQuery<Specimen>, [Specimen], String) throws -> Void
    let groups: (ObjectQuery<Specimen>, [Specimen], String) throws -> Void

    init<V: Sendable & Hashable, E: QueryExpression<Specimen, V?>>(
        _ words: String, _ expression: E, of values: [V], order: @escaping (V, V) -> Int,
        _ read: @escaping (Specimen) -> V?, set: @escaping (Specimen, V?) -> Void
    ) {
        self.words = words
        self.isNil = { read($0) == nil }
        self.compare = { left, right in
            guard let left = read(left), let right = read(right) else { return nil }
            return order(left, right)
        }
        self.order = { $0.order(by: { _ in expression }, $1, nils: $2) }
        self.set = { object, generator in
            set(object, Int.random(in: 0..<5, using: &generator) == 0 ? nil : values.randomElement(using: &generator))
        }
        self.probe = { generator in
            let value = values[Int.random(in: values.indices, using: &generator)]
            let among =
                (0..<Int.random(in: 0...3, using: &generator)).compactMap { _ in
                    Int.random(in: 0..<4, using: &generator) == 0 ? nil : values.randomElement(using: &generator)
                } as [V?]
            func holds(_ test: @escaping (Int) -> Bool) -> (Specimen) -> Bool {
                { read($0).map { test(order($0, value)) } ?? false }
            }
            switch Int.random(in: 0..<9, using: &generator) {
            case 0: return Probe("\(words) == \(value)", expression == value, holds { $0 == 0 })
            case 1:
                return Probe("\(words) != \(value)", expression != value) {
                    read($0).map { order($0, value) != 0 } ?? true
                }
            case 2: return Probe("\(words) < \(value)", expression < value, holds { $0 < 0 })
            case 3: return Probe("\(words) <= \(value)", expression <= value, holds { $0 <= 0 })
            case 4: return Probe("\(words) > \(value)", expression > value, holds { $0 > 0 })
            case 5: return Probe("\(words) >= \(value)", expression >= value, holds { $0 >= 0 })
            case 6: return Probe("\(words) == nil", expression == nil) { read($0) == nil }
            case 7: return Probe("\(words) != nil", expression != nil) { read($0) != nil }
            default:
                return Probe("\(words) among \(among)", expression.isAmong(among)) { object in
                    let found = read(object)
                    return among.contains { value in
                        guard let value, let found else { return value == nil && found == nil }
                        return order(value, found) == 0
                    }
                }
            }
        }
        self.summary = { query, objects, note in
            let found = objects.compactMap(read).sorted { order($0, $1) < 0 }
            func same(_ left: V?, _ right: V?) -> Bool {
                guard let left, let right else { return left == nil && right == nil }
                return order(left, right) == 0
            }
            let least: V? = try query.min { _ in expression }
            #expect(same(least, found.first), "min \(words), \(note)")
            let most: V? = try query.max { _ in expression }
            #expect(same(most, found.last), "max \(words), \(note)")
            let all = try query.select { _ in expression }.fetch()
            #expect(
                all.count == objects.count && zip(all, objects).allSatisfy { same($0, read($1)) },
                "select \(words), \(note)")
            var distinct: [V?] = []
            for value in objects.map(read) where !distinct.contains(where: { same($0, value) }) {
                distinct.append(value)
            }
            let once = try query.select { _ in expression }.distinct().fetch()
            #expect(once.count == distinct.count && zip(once, distinct).allSatisfy(same), "distinct \(words), \(note)")
        }
        self.groups = { query, objects, note in
            let found = objects.compactMap(read).sorted { order($0, $1) < 0 }
            func same(_ left: V?, _ right: V?) -> Bool {
                guard let left, let right else { return left == nil && right == nil }
                return order(left, right) == 0
            }
            var groups: [(key: V?, count: Int)] =
                objects.contains { read($0) == nil } ? [(nil, objects.count { read($0) == nil })] : []
            for value in found {
                if let last = groups.last?.key, order(last, value) == 0 {
                    groups[groups.count - 1].count += 1
                } else {
                    groups.append((value, 1))
                }
            }
            let counted = try query.grouped { _ in expression }.counts()
            #expect(
                counted.count == groups.count
                    && zip(counted, groups).allSatisfy { same($0.key, $1.key) && $0.count == $1.count },
                "groups \(words): \(counted) not \(groups), \(note)")
        }
    }
}

/// Several orders.
struct SpecimenOrders {
    let parts:
        [(field: SpecimenField, direction: ObjectQuery<Specimen>.Direction, nils: ObjectQuery<Specimen>.NilPlacement)]
    var words: String { parts.map { "\($0.field.words) \($0.direction) \($0.nils)" }.joined(separator: ", ") }

    func apply(_ query: ObjectQuery<Specimen>) -> ObjectQuery<Specimen> {
        parts.reduce(query) { $1.field.order($0, $1.direction, $1.nils) }
    }

    func sorted(_ objects: [Specimen]) -> [Specimen] {
        func precedes(_ left: Specimen, _ right: Specimen) -> Bool? {
            for part in parts {
                let (first, second) = (part.field.isNil(left), part.field.isNil(right))
                if first != second { return first == (part.nils == .first) }
                if let order = part.field.compare(left, right), order != 0 {
                    return (order < 0) == (part.direction == .ascending)
                }
            }
            return nil
        }
        return objects.enumerated().sorted { precedes($0.element, $1.element) ?? ($0.offset < $1.offset) }.map(
            \.element)
    }
}

@MainActor
enum Specimens {
    nonisolated static func ordered<V: Comparable>(_ left: V, _ right: V) -> Int {
        left == right ? 0 : left < right ? -1 : 1
    }
    nonisolated static func bytes(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Int {
        let (left, right) = (Array(left), Array(right))
        return left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }

    nonisolated static let texts = [
        "", "a", "A", "ab", "é", "e\u{301}", "ß", "SS", "İ", "i", "👩‍👩‍👧", "👩", "a\u{0}b", "\u{0}", "%", "_", "\u{10FFFF}",
        "\u{FFFD}",
        "10", "9", "\"", "\\", "/", "\u{2028}", "K", "\u{212A}",
    ]
    nonisolated static let counts = [0, 1, -1, 2, .max, .min, 9_007_199_254_740_993, 9_007_199_254_740_992]
    nonisolated static let sizes: [UInt64] = [0, 1, .max, 1 << 63, 1 << 63 - 1, 42]
    nonisolated static let wides: [Int128] = [0, 9, 10, -9, -10, .max, .min, Int128(UInt64.max)]
    nonisolated static let prices = [
        "0", "-0", "1.5", "1.50", "10", "9", "-1.5", "0.1", "1e30", "123456789.123456789123456789", "1e-20",
    ]
    .compactMap { Decimal(string: $0) }
    nonisolated static let ratios = [
        0.0, -0.0, 0.1, 0.30000000000000004, 1e300, -1e300, .leastNonzeroMagnitude, 0x1p53, 1, .greatestFiniteMagnitude,
    ]
    nonisolated static let shares: [Float] = [0, -0.0, 0.1, 0.3, 16_777_216, 3.4e38, 1.5]
    nonisolated static let dates = [0, -0.5, 0.001, 86_400, 1_441_888_808.123456, -62_135_596_800, 253_402_300_799]
        .map { Date(timeIntervalSince1970: $0) }

    static let fields: [SpecimenField] = {
        let own = Specimen.properties
        return [
            SpecimenField("text", own.text.optional, of: texts, order: { bytes($0.utf8, $1.utf8) }, { $0.text }) {
                $0.text = $1 ?? ""
            },
            SpecimenField("note", own.note, of: texts, order: { bytes($0.utf8, $1.utf8) }, { $0.note }) {
                $0.note = $1
            },
            SpecimenField(
                "other.text", own.other.text, of: texts, order: { bytes($0.utf8, $1.utf8) }, { $0.other?.text }
            ) {
                $0.other?.text = $1 ?? ""
            },
            SpecimenField(
                "note insensitive", own.note.insensitive, of: texts,
                order: {
                    bytes(folded($0).utf8, folded($1).utf8)
                }, { $0.note }
            ) { $0.note = $1 },
            SpecimenField("count", own.count, of: counts, order: ordered, { $0.count }) { $0.count = $1 },
            SpecimenField("other.count", own.other.count, of: counts, order: ordered, { $0.other?.count }) {
                $0.other?.count = $1
            },
            SpecimenField("size", own.size, of: sizes, order: ordered, { $0.size }) { $0.size = $1 },
            SpecimenField("other.size", own.other.size, of: sizes, order: ordered, { $0.other?.size }) {
                $0.other?.size = $1
            },
            SpecimenField("wide", own.wide, of: wides, order: ordered, { $0.wide }) { $0.wide = $1 },
            SpecimenField("price", own.price, of: prices, order: ordered, { $0.price }) { $0.price = $1 },
            SpecimenField("other.price", own.other.price, of: prices, order: ordered, { $0.other?.price }) {
                $0.other?.price = $1
            },
            SpecimenField("ratio", own.ratio.optional, of: ratios, order: ordered, { $0.ratio }) { $0.ratio = $1 ?? 0 },
            SpecimenField("share", own.share, of: shares, order: ordered, { $0.share }) { $0.share = $1 },
            SpecimenField("date", own.date, of: dates, order: ordered, { $0.date }) { $0.date = $1 },
            SpecimenField("other.date", own.other.date, of: dates, order: ordered, { $0.other?.date }) {
                $0.other?.date = $1
            },
            SpecimenField(
                "data", own.data, of: [Data(), Data([0]), Data([255]), Data([0, 1])], order: { bytes($0, $1) },
                { $0.data }
            ) {
                $0.data = $1
            },
            SpecimenField(
                "link", own.link,
                of: ["https://a.example", "HTTPS://a.example/é", "/b", "mailto:x"].compactMap { URL(string: $0) },
                order: { bytes($0.absoluteString.utf8, $1.absoluteString.utf8) }, { $0.link }
            ) { $0.link = $1 },
            SpecimenField(
                "token", own.token,
                of: ["00000000-0000-0000-0000-000000000000", "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"].compactMap {
                    UUID(uuidString: $0)
                },
                order: { bytes($0.uuidString.utf8, $1.uuidString.utf8) }, { $0.token }
            ) { $0.token = $1 },
            SpecimenField(
                "isOn", own.isOn.optional, of: [true, false], order: { ordered($0 ? 1 : 0, $1 ? 1 : 0) }, { $0.isOn }
            ) { $0.isOn = $1 ?? false },
            SpecimenField("flag", own.flag, of: [true, false], order: { ordered($0 ? 1 : 0, $1 ? 1 : 0) }, { $0.flag })
            { $0.flag = $1 },
            SpecimenField(
                "grade", own.grade.optional, of: Specimen.Grade.allCases,
                order: { bytes($0.rawValue.utf8, $1.rawValue.utf8) }, { $0.grade }
            ) {
                $0.grade = $1 ?? .low
            },
            SpecimenField(
                "girth", own.girth, of: Specimen.Size.allCases, order: { ordered($0.rawValue, $1.rawValue) },
                { $0.girth }
            ) { $0.girth = $1 },
        ]
    }()

    /// Invisible signs, such as those that join emoji to one, are ignored.
    nonisolated static func folded(_ text: String) -> String {
        String(text.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint })
            .folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil).lowercased()
    }

    static func orders(_ generator: inout SeededGenerator) -> SpecimenOrders {
        SpecimenOrders(
            parts: (0..<Int.random(in: 0...2, using: &generator)).map { _ in
                (
                    fields.randomElement(using: &generator) ?? fields[0],
                    Bool.random(using: &generator) ? .ascending : .descending,
                    Bool.random(using: &generator) ? .first : .last
                )
            })
    }

    static func probe(_ generator: inout SeededGenerator, depth: Int) -> Probe<Specimen> {
        guard depth > 0 else { return plain(&generator) }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
            let (left, right) = (probe(&generator, depth: depth - 1), probe(&generator, depth: depth - 1))
            return Probe("(\(left.words) && \(right.words))", left.predicate && right.predicate) {
                left.holds($0) && right.holds($0)
            }
        case 1, 2:
            let (left, right) = (probe(&generator, depth: depth - 1), probe(&generator, depth: depth - 1))
            return Probe("(\(left.words) || \(right.words))", left.predicate || right.predicate) {
                left.holds($0) || right.holds($0)
            }
        case 3:
            let inner = probe(&generator, depth: depth - 1)
            return Probe("!\(inner.words)", !inner.predicate) { !inner.holds($0) }
        default: return plain(&generator)
        }
    }

    private static func plain(_ generator: inout SeededGenerator) -> Probe<Specimen> {
        let own = Specimen.properties
        let text = texts.randomElement(using: &generator) ?? ""
        switch Int.random(in: 0..<20, using: &generator) {
        case 0:
            return Probe("text.hasPrefix \(text)", own.text.hasPrefix(text)) { $0.text.utf8.starts(with: text.utf8) }
        case 1:
            return Probe("note.hasSuffix \(text)", own.note.hasSuffix(text)) {
                $0.note.map { Array($0.utf8).suffix(text.utf8.count).elementsEqual(text.utf8) } ?? false
            }
        case 2:
            return Probe("note.contains \(text)", own.note.contains(text)) {
                $0.note.map { has(lower($0), lower(text)) } ?? false
            }
        case 3:
            return Probe("other.note.contains \(text)", own.other.note.contains(text)) {
                $0.other?.note.map { has(lower($0), lower(text)) } ?? false
            }
        case 4:
            return Probe("other.text.hasPrefix \(text)", own.other.text.hasPrefix(text)) {
                $0.other?.text.utf8.starts(with: text.utf8) ?? false
            }
        case 5:
            return Probe("text.standard \(text)", own.text.localizedStandardContains(text)) {
                has(Array(folded($0.text).utf8), Array(folded(text).utf8))
            }
        case 6:
            return Probe("text == note", own.text == own.note) { object in
                object.note.map { bytes($0.utf8, object.text.utf8) == 0 } ?? false
            }
        case 7:
            return Probe("price < other.price", own.price < own.other.price) { object in
                guard let left = object.price, let right = object.other?.price else { return false }
                return left < right
            }
        case 8:
            return Probe("size >= other.size", own.size >= own.other.size) { object in
                guard let left = object.size, let right = object.other?.size else { return false }
                return left >= right
            }
        case 9: return Probe("date != other.date", own.date != own.other.date) { $0.date != $0.other?.date }
        case 10: return Probe("share == other.share", own.share == own.other.share) { $0.share == $0.other?.share }
        case 11:
            return Probe("text.insensitive == note.insensitive", own.text.insensitive == own.note.insensitive) {
                object in
                object.note.map { bytes(folded($0).utf8, folded(object.text).utf8) == 0 } ?? false
            }
        case 12: return Probe("isOn", own.isOn.queryPredicate) { $0.isOn }
        case 13: return Probe("!flag", !own.flag) { $0.flag != true }
        case 14: return Probe("range", (-1...2).contains(own.count)) { $0.count.map { (-1...2).contains($0) } ?? false }
        default: return fields.randomElement(using: &generator)?.probe(&generator) ?? fields[0].probe(&generator)
        }
    }

    nonisolated private static func lower(_ text: String) -> [UInt8] {
        text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    }
    nonisolated private static func has(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        part.isEmpty || text.indices.contains { text[$0...].starts(with: part) }
    }

    static func body(_ generator: inout SeededGenerator) -> String {
        func maybe(_ values: [String]) -> String {
            Int.random(in: 0..<6, using: &generator) == 0 ? "null" : values.randomElement(using: &generator) ?? "null"
        }
        let objects = (0..<10).map { _ -> String in
            let text = texts.map { String(decoding: (try? JSONEncoder().encode($0)) ?? Data(), as: UTF8.self) }
            let number = Int.random(in: 1...14, using: &generator)
            return """
                {"id": \(number), "text": \(maybe(text)), "note": \(maybe(text)), "count": \(maybe(counts.map { "\($0)" })),
                "size": \(maybe(sizes.map { "\($0)" })), "wide": \(maybe(wides.map { "\($0)" } + ["1e1", "\"009\""])),
                "price": \(maybe(["0", "-0.0", "1.5", "1.50", "15e-1", "10", "9.0", "-1.5", "0.1", "1e30", "1e-20"])),
                "ratio": \(maybe(["0", "-0.0", "0.1", "1e300", "1", "9007199254740993", "\"0.30000000000000004\""])),
                "share": \(maybe(["0", "-0.0", "0.1", "0.3", "16777216", "1.5"])),
                "date": \(maybe(["0", "\"1970-01-02\"", "\"1970-01-01T00:00:00.001Z\"", "\"1969-12-31T23:59:59.5Z\"", "1441888808.123456"])),
                "data": \(maybe(["\"\"", "\"AA==\"", "\"/w\""])), "link": \(maybe(["\"/b\"", "\"mailto:x\"", "\"https://a.example\""])),
                "token": \(maybe(["\"e621e1f8-c36c-495a-93fc-0c247a3e6e5f\""])), "is_on": \(maybe(["true", "0", "\"true\""])),
                "flag": \(maybe(["true", "false"])), "grade": \(maybe(["\"low\"", "\"high\"", "\"middle\""])), "girth": \(maybe(["-1", "30", "\"2\""])),
                "other": \(maybe(["3", "5", "7", "{\"id\": 20, \"note\": \"é\"}", "99"]))}
                """
        }
        return "[" + objects.joined(separator: ",") + "]"
    }
}
