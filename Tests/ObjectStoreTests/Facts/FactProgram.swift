import TestSupport

@testable import ObjectStore

/// One random program: users of four contexts, a network, a server, and another client.
struct FactProgram {
    struct Flight {
        let request: ModelRequest
        var reply: FactServer.Reply?, hasArrived = false
    }

    struct Asked {
        let stamp: ChangeStamp, process: Int, question: FactServer.Question
        var answer: ModelAnswer?
    }

    enum Theme { case all, memberships, links, lives }

    var random: SeededGenerator
    var log: FactLog
    var server: FactServer
    var oracle = FactOracle()
    var flights: [Flight] = [], asked: [Asked] = []
    var undo: [ModelContext: [(fact: ModelFact, value: ModelValue)]] = [:]
    let theme: Theme
    /// Users edit a few objects again and again.
    let isHot: Bool
    /// Set to hash everything that happens.
    var digest: FactDigest?
    var isFinishing = false
    var isTraced = false, counts: [String: Int] = [:]

    init(seed: UInt64, without: ModelCondition?) {
        random = SeededGenerator(seed: seed)
        log = FactLog(without: without)
        isHot = seed % 3 != 0
        theme = [.all, .all, .memberships, .links, .lives][Int(seed / 7 % 5)]
        server = FactServer(recognizesRepeats: seed % 2 == 0)
        seedServer()
        fetchSome()
    }

    mutating func trace(_ text: @autoclosure () -> String) {
        if isTraced { print("    \(text())") }
        digest?.add(text())
    }

    mutating func seedServer() {
        server.change(at: 0, by: nil) { [random] server in
            var random = random
            for (kind, count) in [(ModelRow.Kind.note, 2), (.tag, 3), (.board, 2), (.card, 3)] {
                for _ in 0..<count { _ = server.add(kind, Self.value(kind, &random)) }
            }
            for note in server.uids(.note) {
                for tag in server.uids(.tag) where random.chance(40) { server.setPair(note, tag, true) }
            }
            for card in server.uids(.card) where random.chance(60) {
                server.setLink(card, random.pick(server.uids(.board)))
            }
        }
    }

    static func value(_ kind: ModelRow.Kind, _ random: inout SeededGenerator) -> ModelValue {
        if kind != .note { return .number(Int.random(in: 0..<4, using: &random) * (kind == .tag ? 1 : 2)) }
        return .sequence((0..<Int.random(in: 0..<3, using: &random)).map { _ in Int.random(in: 1...2, using: &random) })
    }

    /// The file knows some objects, some only as members, and some lists whole, in part, or not at all.
    mutating func fetchSome() {
        var questions: [FactServer.Question] = [.index(.note), .index(.board)]
        for row in server.uids(.tag) + server.uids(.card) where random.chance(75) {
            questions.append(.object(server.objects[row]!.name))
        }
        for row in server.uids(.note) + server.uids(.tag) + server.uids(.board) {
            let dice = Int.random(in: 0..<10, using: &random)
            let name = server.objects[row]!.name
            if dice < (theme == .memberships ? 3 : 6) {
                questions.append(.list(name, limit: nil))
            } else if dice < (theme == .memberships ? 7 : 8) {
                questions.append(.list(name, limit: 1))
            }
        }
        for question in questions { fetch(question) }
    }

    mutating func fetch(_ question: FactServer.Question) {
        let stamp = log.ask(1)
        deliver(Asked(stamp: stamp, process: 1, question: question, answer: server.answer(question)))
    }

    // MARK: Steps

    mutating func step() {
        switch Int.random(in: 0..<1000, using: &random) {
        case ..<315: userEdits()
        case ..<330: overtakes()
        case ..<350: undoes()
        case ..<460: save(random.pick([.a, .a, .b, .c, .d])!)
        case ..<480: rollBack(random.pick([.a, .b, .c, .d, .d])!)
        case ..<640: send()
        case ..<720: arrive()
        case ..<800: reply()
        case ..<860: ask()
        case ..<900: read()
        case ..<950: if !asked.isEmpty { deliver(asked.remove(at: Int.random(in: 0..<asked.count, using: &random))) }
        case ..<990: otherClient()
        default: restart(random.pick([1, 1, 2])!)
        }
        oracle.check(log)
        oracle.checkFile(log, server)
        digest?.add(log.text)
    }

    // MARK: Other clients

    mutating func otherClient() {
        let kind = random.pick([ModelRow.Kind.note, .tag, .board, .card])!
        let dice = Int.random(in: 0..<100, using: &random)
        let value = Self.value(kind, &random)
        let row = random.pick(server.uids(kind))
        let board = random.pick(server.uids(.board))
        let share = random.chance(50)
        let note = random.pick(server.uids(.note))
        let tag = random.pick(server.uids(.tag))
        let free = reusableName(kind)
        let mix = random.next()
        server.change(at: log.now().rawValue, by: nil) { server in
            guard let row else { return }
            switch dice {
            case ..<30: server.objects[row]!.value = value
            case ..<50: if let note, let tag { server.setPair(note, tag, share) }
            case ..<70: if kind == .card { server.setLink(row, share ? board : nil) }
            case ..<85:
                var mixer = SeededGenerator(seed: mix)
                server.objects[row]!.list.shuffle(using: &mixer)
            case ..<92: if kind != .note && server.uids(kind).count > 1 { server.delete(row) }
            default: if server.objects.count < 16 { _ = server.add(kind, value, name: free) }
            }
        }
        if let free, server.uid(free) != nil { oracle.reused.insert(free) }
        trace("another client (\(dice), \(kind))")
    }

    /// Another client changes a fact that a request has just changed, and a fetch reports it before the reply.
    mutating func overtakes() {
        guard let flight = random.pick(flights.filter(\.hasArrived)) else { return }
        let request = flight.request
        let log = log
        guard let fact = random.pick(request.body.sent.keys.sorted()) else { return }
        let value = Self.value(fact.rows[0].kind, &random)
        let share = random.chance(50)
        let rows = fact.rows.compactMap { row in log.nameOf(row).flatMap { server.uid($0) } }
        guard rows.count == fact.rows.count else { return }
        let board = random.pick(server.uids(.board))
        trace("another client changes \(fact)")
        server.change(at: self.log.now().rawValue, by: nil) { server in
            switch fact {
            case .value: server.objects[rows[0]]!.value = value
            case .link: server.setLink(rows[0], share ? board : nil)
            case .pair: server.setPair(rows[0], rows[1], share)
            default: break
            }
        }
        guard random.chance(70) else { return }
        let process = random.pick([1, 2])!
        let name = server.objects[rows[0]]!.name
        let stamp = self.log.ask(process)
        let isList = if case .pair = fact { true } else { false }
        let question: FactServer.Question = isList ? .list(name, limit: nil) : .object(name)
        deliver(Asked(stamp: stamp, process: process, question: question))
    }

    /// Returns the name of a deleted object that is free again.
    mutating func reusableName(_ kind: ModelRow.Kind) -> ModelRow? {
        guard random.chance(60) else { return nil }
        let used = Set(server.objects.values.map(\.name)).union(log.names.keys).union(
            log.open.flatMap { $0.wire.values })
        let name = server.deletedNames.subtracting(used).filter { $0.kind == kind }.min()
        if name != nil { counts["reused names", default: 0] += 1 }
        return name
    }
}
