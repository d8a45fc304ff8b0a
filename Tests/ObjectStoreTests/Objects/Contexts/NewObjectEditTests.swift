import Dispatch
import Observation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Edits of new objects are appended to a list, until another access needs them in place. The result is the same for
/// any access in between.
@MainActor
@Suite struct NewObjectEditTests {
    @Test(arguments: 1...6)
    func `A new object keeps the last value set, whatever happens between`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let store = try Store(of: [Slip.self, Tray.self])
        let trays = (0..<3).map { _ in Tray(in: store.main) }
        try await store.main.save()
        var slips: [(slip: Slip, expected: Values)] = []
        for _ in 0..<300 {
            if slips.count < 4 || Int.random(in: 0..<12, using: &random) == 0 {
                slips.append((Slip(in: store.main), Values()))
            }
            let index = Int.random(in: 0..<slips.count, using: &random)
            try await Self.disturb(slips[index].slip, in: store, using: &random)
            if slips[index].slip.isDeleted { slips[index] = (Slip(in: store.main), Values()) }
            for _ in 0..<Int.random(in: 1...9, using: &random) {
                slips[index].expected.setOne(of: slips[index].slip, trays, using: &random)
            }
            #expect(Values(slips[index].slip) == slips[index].expected)
        }
        for (slip, expected) in slips { #expect(Values(slip) == expected) }
        try await store.main.save()
        let read = try await store.background { context in
            try context.query(Slip.self).fetch().map { Values($0) }
        }
        let written = slips.map { Values($0.slip) }
        #expect(read.count == written.count && written.allSatisfy(read.contains))
    }

    @Test func `Each edit has a later stamp than all earlier ones`() throws {
        let store = try Store(of: [Slip.self, Tray.self])
        let (slip, other) = (Slip(in: store.main), Slip(in: store.main))
        var stamps: [ChangeStamp] = []
        func stamp(_ slip: Slip, _ property: Int) throws {
            stamps.append(try #require(slip._object.edits[PropertyIndex(property)]).stamp)
        }
        slip.one = 1
        try stamp(slip, 0)
        stamps.append(.now())
        slip.two = 2
        try stamp(slip, 1)
        for count in 0..<70 {
            other.one = count
            try stamp(other, 0)
        }
        slip.text = "x"
        try stamp(slip, 2)
        #expect(stamps == stamps.sorted() && Set(stamps).count == stamps.count)
    }

    @Test func `A save writes the values it took, and later edits stay unsaved`() async throws {
        let store = try Store(of: [Slip.self, Tray.self])
        let slip = Slip(in: store.main)
        slip.one = 1
        // The writer's turn comes when all is set.
        let gate = DispatchSemaphore(value: 0)
        let holding = Task {
            try await store.file.write { writer in
                gate.wait()
                return ((), ChangeSet(writer.schema))
            }
        }
        let saving = Task { try await store.main.save() }
        while slip._object.inFlight.isEmpty { await Task.yield() }
        slip.text = "later"
        slip.real = 2
        gate.signal()
        try await holding.value
        try await saving.value
        #expect(slip.one == 1 && slip.text == "later" && slip.real == 2)
        #expect(slip.changedProperties == ["text", "real"])
        #expect(try Database(store.path).value("SELECT text FROM slip") == "")
        try await store.main.save()
        #expect(try Database(store.path).value("SELECT text FROM slip") == "later")
    }

    /// Does something that ends, or might end, that the next edit is only put behind the others.
    private static func disturb(_ slip: Slip, in store: Store, using random: inout SeededGenerator) async throws {
        switch Int.random(in: 0..<14, using: &random) {
        case 0: _ = try store.main.query(Slip.self).where { $0.one > 3 }.count()
        case 1:
            withObservationTracking {
                _ = slip.text
            } onChange: {
            }
        case 2: try await store.main.save()
        case 3: _ = slip._object.edits
        case 4: if slip.isInserted { store.main.delete(slip) }
        case 5: _ = ChangeStamp.now()
        case 6: _ = try store.main.find(Slip.self, 4)
        case 7: _ = try await store.main.take(Tray.self, #"[{"id": 1}]"#)
        default: break
        }
    }
}

extension NewObjectEditTests {
    /// A slip's values.
    private struct Values: Equatable {
        var (one, two, text, note, real, flag): (Int, Int?, String, String?, Double, Bool?) = (0, nil, "", nil, 0, nil)
        var tray: ObjectIdentifier?

        init() {}

        init(_ slip: Slip) {
            (one, two, text, note) = (slip.one, slip.two, slip.text, slip.note)
            (real, flag) = (slip.real, slip.flag)
            tray = slip.tray.map(ObjectIdentifier.init)
        }

        static func == (left: Values, right: Values) -> Bool {
            (left.one, left.two, left.text, left.note, left.real, left.flag)
                == (right.one, right.two, right.text, right.note, right.real, right.flag)
        }

        mutating func setOne(of slip: Slip, _ trays: [Tray], using random: inout SeededGenerator) {
            let number = Int.random(in: 0..<9, using: &random)
            switch Int.random(in: 0..<7, using: &random) {
            case 0: (one, slip.one) = (number, number)
            case 1: (two, slip.two) = (number < 3 ? nil : number, number < 3 ? nil : number)
            case 2: (text, slip.text) = ("text \(number)", "text \(number)")
            case 3:
                (note, slip.note) = (
                    number < 3 ? nil : "a note, long \(number)", number < 3 ? nil : "a note, long \(number)"
                )
            case 4: (real, slip.real) = (Double(number), Double(number))
            case 5: (flag, slip.flag) = (number < 3 ? nil : number > 5, number < 3 ? nil : number > 5)
            default:
                slip.tray = trays[number % 3]
                #expect(slip.tray === trays[number % 3])
            }
        }
    }
}

@Model
private final class Slip {
    var one = 0
    var two: Int?
    var text = ""
    var note: String?
    var real = 0.0
    var flag: Bool?
    var tray: Tray?
    var identifier: Int?
}

@Model
private final class Tray {
    var identifier: Int?
}
