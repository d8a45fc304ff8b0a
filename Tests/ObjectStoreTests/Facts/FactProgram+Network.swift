import TestSupport

@testable import ObjectStore

/// Requests, fetches and restarts. Each message may be late, lost, or overtaken by another one.
extension FactProgram {
    mutating func send() {
        let context = random.pick([ModelContext.a, .a, .b, .c, .d])!
        let notes = rows(.note, context)
        let tags = rows(.tag, context)
        let boards = rows(.board, context)
        let all = log.rows.keys.filter { log.rows[$0]?.isGone == false }.sorted()
        var kinds: [ModelRequestKind] = []
        let pending = log.layers(context).flatMap { Array(log.edits[$0]?.keys ?? [:].keys) }
        if random.chance(75), !pending.isEmpty {
            kinds = self.kinds(pending.sorted().randomElement(using: &random)!, context)
        } else if let row = random.pick(all), let note = random.pick(notes), let tag = random.pick(tags) {
            kinds = [
                .object(row, all: random.chance(50)), .pair(note: note, tag: tag),
                .list(random.pick(notes + tags + boards)!),
            ]
        }
        if let kind = random.pick(kinds) { _ = send(kind, context) }
    }

    /// The requests that can send a fact.
    mutating func kinds(_ fact: ModelFact, _ context: ModelContext) -> [ModelRequestKind] {
        switch fact {
        case .value(let row): [log.isKnownToServer(row) ? .object(row, all: random.chance(30)) : .life(row)]
        case .link(let row):
            if case .link(let board?)? = log.view(fact, context) {
                [log.isKnownToServer(row) ? .object(row, all: random.chance(30)) : .life(row), .list(board)]
            } else {
                [.object(row, all: random.chance(30))]
            }
        case .pair(let note, let tag): [.pair(note: note, tag: tag), .list(note), .list(tag)]
        case .order(let row): [.list(row)]
        case .life(let row): [.life(row)]
        case .identity(let row): [.rename(row)]
        }
    }

    mutating func send(_ kind: ModelRequestKind, _ context: ModelContext) -> Bool {
        let stamp = log.now()
        guard let request = log.request(kind, context, at: stamp) else { return false }
        trace("\(context) sends \(stamp.text) \(kind) \(request.body.sent.text) carries \(request.body.carried.text)")
        oracle.sent(request, log)
        oracle.sentFacts[stamp] = Set(request.body.sent.keys)
        log.send(request)
        flights.append(Flight(request: request))
        counts["\(kind)".prefix { $0 != " " } + "", default: 0] += 1
        return true
    }

    func uid(_ row: ModelRow) -> ModelRow? {
        guard case .identity(let number)? = log.base(.identity(row)).value else { return nil }
        return server.uid(ModelRow(kind: row.kind, number: number))
    }

    mutating func arrive(_ index: Int? = nil) {
        let waiting = flights.indices.filter { !flights[$0].hasArrived }
        guard let index = index ?? random.pick(waiting), !flights[index].hasArrived else { return }
        let request = flights[index].request
        let before = server.facts()
        flights[index].hasArrived = true
        if random.chance(8), !isFinishing {
            trace("server refuses \(request.stamp.text)")
            return
        }
        flights[index].reply = server.apply(request, at: log.now().rawValue)
        let done = flights[index].reply
        trace("server does \(request.stamp.text): \(done.map { "\($0)" } ?? "rejected")")
        let server = server
        oracle.applied(request, before: before, server: server) { request.wire[$0].flatMap(server.uid) }
    }

    mutating func reply() {
        guard !flights.isEmpty else { return }
        var index = Int.random(in: 0..<flights.count, using: &random)
        if !flights[index].hasArrived && random.chance(70) { arrive(index) }
        let isLost = random.chance(20)
        if !flights[index].hasArrived && !isLost { return }
        if isLost && !flights[index].hasArrived && random.chance(30) { arrive(index) }
        index = min(index, flights.count - 1)
        let flight = flights.remove(at: index)
        end(flight, isLost ? .unknown : flight.reply == nil ? .rejected : .accepted)
    }

    mutating func end(_ flight: Flight, _ outcome: FactOutcome) {
        var request = log.open.first { $0.stamp == flight.request.stamp } ?? flight.request
        trace("\(flight.request.stamp.text) is \(outcome)")
        var reply = flight.reply ?? FactServer.Reply()
        if outcome == .unknown { oracle.lost(request.stamp) }
        for (from, to) in log.remapped {
            reply.values = Dictionary(
                uniqueKeysWithValues: reply.values.map { f, v in
                    (f.mapRows { $0 == from ? to : $0 }, v.mapRows { $0 == from ? to : $0 })
                })
        }
        let remaps = log.remapped.count
        log.complete(request.stamp, outcome, reply: reply.values, identity: reply.identity)
        if log.remapped.count > remaps {
            let (from, to) = log.remapped.last!
            trace("\(from) becomes \(to)")
            counts["remap", default: 0] += 1
            oracle.remapped(from, to: to, log)
            let map = { (row: ModelRow) in row == from ? to : row }
            let body = request.body
            (request.body.sent, request.body.carried) = ([:], [:])
            for (fact, value) in body.sent { request.body.sent[fact.mapRows(map)] = value.mapRows(map) }
            for (fact, ids) in body.carried { request.body.carried[fact.mapRows(map)] = ids }
            reply.values = Dictionary(uniqueKeysWithValues: reply.values.map { ($0.mapRows(map), $1.mapRows(map)) })
        }
        oracle.completed(request, outcome, reply: reply, at: log.clock, log)
        if !log.converted.isEmpty {
            oracle.converted(log.converted, at: log.clock)
            log.converted = [:]
        }
    }

    mutating func ask() {
        let process = random.pick([1, 1, 2])!
        guard let row = random.pick(log.rows.keys.filter { log.rows[$0]?.isGone == false }.sorted()) else { return }
        guard case .identity(let number)? = log.base(.identity(row)).value else { return }
        let name = ModelRow(kind: row.kind, number: number)
        let dice = Int.random(in: 0..<10, using: &random)
        let question: FactServer.Question =
            dice < 2
            ? .index(row.kind)
            : dice < 4 || row.kind == .card
                ? .object(name)
                : .list(name, limit: dice < (theme == .memberships ? 9 : 6) ? 1 : nil)
        let stamp = log.ask(process)
        asked.append(Asked(stamp: stamp, process: process, question: question))
        trace("asks \(stamp.text) \(question)")
    }

    mutating func read(_ index: Int? = nil) {
        let waiting = asked.indices.filter { asked[$0].answer == nil }
        guard let index = index ?? random.pick(waiting) else { return }
        let question = asked[index]
        asked[index].answer = server.answer(question.question)
        trace("server reads \(question.stamp.text)")
    }

    mutating func deliver(_ question: Asked) {
        let answer = question.answer ?? server.answer(question.question)
        trace("answer to \(question.stamp.text): \(answer)")
        log.receive(answer, requestTime: question.stamp)
        oracle.received(answer, requestTime: question.stamp.rawValue, log)
        if !log.converted.isEmpty {
            oracle.converted(log.converted, at: log.clock)
            log.converted = [:]
        }
    }

    mutating func restart(_ process: Int) {
        trace("process \(process) restarts")
        for index in flights.indices where flights[index].request.sender.process == process {
            if !flights[index].hasArrived && random.chance(40) { arrive(index) }
            oracle.lost(flights[index].request.stamp)
        }
        let ended = flights.filter { $0.request.sender.process == process }
        flights.removeAll { $0.request.sender.process == process }
        asked.removeAll { $0.process == process }
        for context in ModelContext.allCases where context.process == process {
            oracle.own[context] = nil
            undo[context] = []
        }
        log.restart(process)
        for flight in ended {
            for fact in flight.request.body.sent.keys.sorted() {
                oracle.completed[fact] = log.clock
                if case .order(let owner) = fact, owner.kind != .board { oracle.completedLists[owner] = log.clock }
            }
        }
    }
}
