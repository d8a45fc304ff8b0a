import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Computed values of queries: in conditions, orders and sums, in the file and in memory.
@MainActor
@Suite struct ComputedQueryTests {
    private func makeStore(isSaved: Bool) async throws -> Store {
        let store = try Store(of: World.models)
        for (stars, name) in [(0, "a"), (3, "b"), (4, "c"), (-7, "d")] {
            let repository = Repository(in: store.main)
            (repository.stars, repository.name) = (stars, name)
        }
        if isSaved { try await store.main.save() }
        return store
    }

    @Test(arguments: [true, false])
    func `Arithmetic works in conditions, orders and sums`(_ isSaved: Bool) async throws {
        let store = try await makeStore(isSaved: isSaved)
        let query = store.main.query(Repository.self)
        func names(_ query: ObjectQuery<Repository>) throws -> String { try query.fetch().map(\.name).joined() }
        #expect(try names(query.where { $0.stars * 2 + 1 > 7 }) == "c")
        #expect(try names(query.where { $0.stars - 3 == 0 }) == "b")
        #expect(try names(query.where { 12 / $0.stars == 4 || 12 / $0.stars == -1 }) == "bd")
        #expect(try names(query.where { 12 / $0.stars == nil }) == "a")
        #expect(try names(query.where { $0.stars * $0.stars > $0.stars }) == "bcd")
        #expect(try names(query.where { $0.stars / 2 == -3 }) == "d")
        #expect(try names(query.where { $0.stars.double / 2 == -3.5 }) == "d")
        #expect(try names(query.where { $0.stars + $0.topics.count == 3 }) == "b")
        #expect(try names(query.where { [9, 16].contains($0.stars * $0.stars) }) == "bc")
        #expect(try names(query.order { $0.stars * $0.stars }) == "abcd")
        #expect(try names(query.order { 0 - $0.stars }) == "cbad")
        #expect(try query.sum { $0.stars * $0.stars } == 74)
        #expect(try query.max { $0.stars * -2 } == 14)
        #expect(try query.average { $0.stars + 1 } == 1)
        let rows = try query.order { $0.stars }.select { ($0.stars * 2, $0.name) }.fetch()
        #expect(rows.map(\.0) == [-14, 0, 6, 8] && rows.map(\.1) == ["d", "a", "b", "c"])
        let groups = try query.grouped { $0.stars / 4 }.select { ($0.count, $0.sum { $0.stars }) }.fetch()
        #expect(groups.map(\.key) == [-1, 0, 1] && groups.map(\.values.1) == [-7, 3, 4])
    }

    @Test(arguments: [true, false])
    func `Optional values are compared with required ones`(_ isSaved: Bool) async throws {
        let store = try Store(of: World.models)
        for (login, name) in [("a", nil), ("b", "b"), ("c", "a"), ("d", "e")] as [(String, String?)] {
            let user = User(in: store.main)
            (user.login, user.name) = (login, name)
            let issue = Issue(in: store.main)
            (issue.title, issue.assignee) = (name ?? "", user)
        }
        if isSaved { try await store.main.save() }
        let query = store.main.query(User.self)
        func logins(_ query: ObjectQuery<User>) throws -> String { try query.fetch().map(\.login).joined() }
        #expect(try logins(query.where { $0.login == $0.name }) == "b")
        #expect(try logins(query.where { $0.name == $0.login }) == "b")
        #expect(try logins(query.where { $0.login != $0.name }) == "acd")
        #expect(try logins(query.where { $0.name < $0.login }) == "c")
        #expect(try logins(query.where { $0.login <= $0.name }) == "bd")
        #expect(try logins(query.where { $0.name >= $0.login }) == "bd")
        #expect(try logins(query.where { $0.login > $0.name }) == "c")
        #expect(try store.main.query(Issue.self).where { $0.title == $0.assignee.login }.count() == 1)
    }

    // MARK: Agreement

    private static let wholes: [Int64?] = [
        nil, 0, 1, -1, 2, 7, -7, 3_037_000_500, 1 << 53, .max, .max - 1, .min, .min + 1,
    ]
    private static let reals: [Double?] = [nil, 0, -0.0, 0.1, 1.5, -2.25, 1e308, -1e308, .leastNonzeroMagnitude]
    private static let decimals =
        [nil, "0", "0.1", "-2.50", "3", "1e127", "-1e-127"]
        + [String(repeating: "9", count: 38), "0." + String(repeating: "3", count: 37)]

    private typealias Number<Value: Sendable> = QueryValue<Sample, Value?>

    private func random<Value: QuerySummable & QueryNumber>(
        _ generator: inout SeededGenerator, _ depth: Int, _ leaf: (inout SeededGenerator) -> Number<Value>
    ) -> Number<Value> where Value.Number == Value {
        guard depth > 0, Int.random(in: 0..<4, using: &generator) > 0 else { return leaf(&generator) }
        let left = random(&generator, depth - 1, leaf)
        let right = random(&generator, depth - 1, leaf)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return left + right
        case 1: return left - right
        case 2: return left * right
        default: return left / right
        }
    }

    /// The result for unsaved objects in memory, and then for the same objects in the file.
    private func check<Value: QuerySummable & QueryNumber>(
        _ store: Store, _ expressions: [Number<Value>], _ pivot: Value
    ) async throws where Value.Number == Value {
        func answers() throws -> [[Int]] {
            try expressions.flatMap { value in
                let query = store.main.query(Sample.self)
                return try [
                    query.where { _ in value > pivot }, query.where { _ in value <= pivot },
                    query.where { _ in value == nil }, query.where { _ in value != pivot },
                    query.order { _ in value }, query.where { _ in value < value + value },
                ].map { try $0.fetch().compactMap(\.identifier) }
            }
        }
        for sample in try store.main.query(Sample.self).fetch() { sample.text = "edited" }
        let inMemory = try answers()
        try await store.main.save()
        let inFile = try answers()
        for (place, (memory, file)) in zip(inMemory, inFile).enumerated() {
            #expect(memory == file, "\(expressions[place / 6].term), question \(place % 6)")
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `Arithmetic in memory equals SQLite's`(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let store = try Store(of: [Sample.self])
        for identifier in 1...30 {
            let sample = Sample(in: store.main)
            sample.identifier = identifier
            sample.int64 = Self.wholes.randomElement(using: &generator) ?? nil
            sample.double = Self.reals.randomElement(using: &generator) ?? nil
            let decimal = Self.decimals.randomElement(using: &generator) ?? nil
            sample.decimal = decimal.flatMap { Decimal(string: $0) ?? .nan }
        }
        let properties = Sample.properties
        let wholes = (0..<40).map { _ in
            random(&generator, 3) { generator -> Number<Int64> in
                let constant = (Self.wholes.randomElement(using: &generator) ?? nil) ?? 3
                return Bool.random(using: &generator) ? properties.int64.queryValue : properties.int64 - constant
            }
        }
        try await check(store, wholes, 5)
        let reals = (0..<40).map { _ in
            random(&generator, 3) { generator -> Number<Double> in
                let constant = (Self.reals.randomElement(using: &generator) ?? nil) ?? 3
                return Bool.random(using: &generator) ? properties.double.queryValue : properties.double * constant
            }
        }
        try await check(store, reals, 0.5)
        let decimals = (0..<20).map { _ in
            random(&generator, 2) { generator -> Number<Decimal> in
                Bool.random(using: &generator) ? properties.decimal.queryValue : properties.int64.decimal
            }
        }
        try await check(store, decimals, 1)
    }

    @Test func `An expression that is too large is refused`() async throws {
        let store = try await makeStore(isSaved: true)
        let long = (0..<1000).reduce(Repository.properties.stars + 1) { sum, _ in sum + Repository.properties.stars }
        var doubled = Repository.properties.stars + 1
        for _ in 0..<60 { doubled = doubled + doubled }
        for value in [long, doubled] {
            let query = store.main.query(Repository.self)
            #expect(await failure { _ = try query.where { _ in value > 3 }.fetch() }.contains("has more than"))
            #expect(await failure { _ = try query.order { _ in value }.count() } == "none")
            #expect(await failure { _ = try query.sum { _ in value } }.contains("has more than"))
        }
    }

    // MARK: Sums

    @Test(arguments: [true, false])
    func `Sums of decimals and unsigned numbers are exact`(_ isSaved: Bool) async throws {
        let store = try Store(of: [Sample.self])
        for (place, number) in [UInt64.max - 3, 1, 2].enumerated() {
            let sample = Sample(in: store.main)
            (sample.uint64, sample.uint, sample.bool) = (number, UInt(place), place > 0)
            (sample.decimal, sample.int128) = (Decimal(string: "0.1"), Int128.max / 3)
        }
        Sample(in: store.main).bool = true
        if isSaved { try await store.main.save() }
        let query = store.main.query(Sample.self)
        #expect(try query.sum { $0.uint64 } == .max)
        #expect(try query.sum { $0.decimal } == Decimal(string: "0.3"))
        #expect(try query.average { $0.decimal } == Decimal(string: "0.1"))
        #expect(try query.sum { $0.int128 } == Int128.max / 3 * 3)
        #expect(try query.average { $0.uint64 } == Double(UInt64.max) / 3)
        #expect(try query.average { $0.uint } == 1)
        #expect(try query.order { $0.uint64 }.limit(3).sum { $0.uint64 } == 3)
        #expect(try query.where { $0.uint == 9 }.average { $0.decimal } == nil)
        #expect(try query.sum { $0.decimal * $0.uint8.decimal } == 0)
        #expect(try query.where { $0.decimal * 3 == Decimal(string: "0.30")! }.count() == 3)
        let groups = try query.grouped { $0.bool }.select { ($0.sum { $0.uint64 }, $0.average { $0.decimal }) }.fetch()
        #expect(groups.map(\.values.0) == [.max - 3, 3] && groups.map(\.values.1) == [0.1, 0.1])
    }

    @Test func `A sum that its type can't represent is refused, also in groups`() async throws {
        let store = try Store(of: [Sample.self])
        for number in [UInt64.max, 1] {
            let sample = Sample(in: store.main)
            (sample.uint64, sample.int8, sample.int64) = (number, 100, .max)
            sample.decimal = number == 1 ? Decimal(string: "0.1") : Decimal(string: "1e38")
        }
        let query = store.main.query(Sample.self)
        #expect(await failure { _ = try query.sum { $0.uint64 } }.contains("beyond what UInt64 has"))
        #expect(await failure { _ = try query.sum { $0.decimal } }.contains("Decimal has a number for"))
        #expect(await failure { _ = try query.average { $0.decimal } as Decimal? }.contains("beyond what"))
        #expect(await failure { _ = try query.sum { $0.int64 + 1 } }.contains("beyond what Int64 has"))
        #expect(await failure { _ = try query.select { $0.int64 + 1 }.fetch() }.contains("beyond what Int64 has"))
        #expect(await failure { _ = try query.max { $0.int8 * 2 } }.contains("beyond what Int8 has"))
        #expect(await failure { _ = try query.grouped { $0.int8 + 28 }.counts() }.contains("beyond what Int8 has"))
        let groups = query.grouped { $0.bool }
        #expect(await failure { _ = try groups.select { $0.sum { $0.int8 } }.fetch() }.contains("beyond what Int8 has"))
        #expect(await failure { _ = try groups.select { ($0.count, $0.sum { $0.uint64 }) }.fetch() }.contains("UInt64"))
        #expect(try query.average { $0.uint64 } == Double(UInt64.max) / 2)
    }

    /// Powers of ten on which Foundation's own operators trap, and quotients that they get wrong.
    @Test(arguments: [
        ("1e127", "*", "1e127", nil), ("1e127", "+", "1e-127", "1e127"), ("1e100", "*", "1e27", "1e127"),
        ("1e-100", "*", "1e-100", nil), ("2", "/", "3", "0." + String(repeating: "6", count: 38)),
        ("-8e20", "/", "-105089e-18", "7612595038491183663371047397919858.4057"), ("7", "/", "0", nil),
        ("1e127", "/", "1e127", "1"), ("9e37", "-", "9e37", "0"), ("NaN", "+", "1", nil),
    ])
    func `Decimal arithmetic is exact, or nil when out of range`(
        _ left: String, _ operation: String, _ right: String, _ expected: String?
    ) throws {
        let operation = try #require(NumberOperation(rawValue: operation))
        let found = operation.decimal(.text(left), .text(right))
        if let expected {
            #expect(StoredValue.order(found, .text(expected), as: .decimal) == 0, "\(found)")
        } else {
            #expect(found == .null)
        }
    }

    @Test func `A decimal sum keeps all digits`() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let (total, shift) = (DecimalTotal(), Int.random(in: 0...20, using: &generator))
            var sum = Int128(0)
            for _ in 0..<Int.random(in: 1...50, using: &generator) {
                let number = Int128(Int64.random(in: .min ... .max, using: &generator))
                sum += number
                total.add(.text("\(number)e-\(shift)"), isUnsigned: false)
            }
            let text = total.text.flatMap(DecimalText.init)
            #expect(text == DecimalText("\(sum)e-\(shift)"), "\(sum)e-\(shift) is not \(total.text ?? "none")")
        }
        let far = DecimalTotal()
        for text in ["1e165", "1e-127", "-1e165"] { far.add(.text(text), isUnsigned: false) }
        #expect(far.text.flatMap(DecimalText.init) == DecimalText("1e-127"))
        #expect(DecimalTotal().text == nil)
    }
}
