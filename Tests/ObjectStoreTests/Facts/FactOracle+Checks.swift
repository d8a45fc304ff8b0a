@testable import ObjectStore

/// Promises that hold at each step, and those that hold at the end.
extension FactOracle {
    /// Compares the file's unedited facts with the newest report, and looks for lost objects.
    mutating func checkFile(_ log: FactLog, _ server: FactServer) {
        let wrong = reported.filter { fact, known in
            switch fact {
            case .value, .pair: log.base(fact).value != known.value
            default: false
            }
        }
        for (fact, known) in wrong.ordered {
            if log.edits.contains(where: { $1[fact] != nil }) { continue }
            if fact.rows.contains(where: { log.rows[$0]?.isGone != false }) { continue }
            fail("\(fact): the file has \(log.base(fact).text), reported was \(known)")
        }
        for (row, info) in log.rows.ordered {
            if !info.isGone {
                if uids[row] == nil, let name = log.nameOf(row) { uids[row] = server.uid(name) }
            } else if let uid = uids[row], server.objects[uid] != nil, !log.remapped.contains(where: { $0.from == row })
            {
                fail("\(row) is at the server, and the file has forgotten it")
            }
        }
    }

    /// Each context shows its own edits. When an edit goes, the context still shows its value.
    mutating func check(_ log: FactLog) {
        for (context, facts) in own.ordered {
            for (fact, value) in facts.ordered {
                if fact.rows.contains(where: { log.rows[$0]?.isGone != false }) {
                    own[context]![fact] = nil
                    continue
                }
                var value = value
                if value.rows.contains(where: { log.rows[$0]?.isGone != false }) {
                    // The link's target was deleted.
                    value = .link(nil)
                    own[context]![fact] = value
                }
                let view = log.view(fact, context)
                if log.edits[.context(context)]?[fact] == nil { own[context]![fact] = nil }
                if view != value && !(view == nil && value == .flag(false)) {
                    fail("\(fact) in \(context): shows \(String(describing: view)) instead of the unsaved \(value)")
                }
            }
        }
    }

    /// Others may move a card elsewhere that is removed from a board's list, as a list only says "not here".
    func matches(_ fact: ModelFact, _ promised: Promise, _ entry: FactServer.Entry) -> Bool {
        let isOthers = entry.request == nil
        let entry = entry.value
        if promised.value == .link(nil), let former = promised.former {
            return entry == promised.value || (isOthers && entry != former)
        }
        guard case .order = fact else { return FactServer.normal(fact, promised.value) == entry }
        let promised = promised.value.members
        let entered = entry.members
        return promised.filter(entered.contains) == entered.filter(promised.contains)
    }

    /// The server has had the promised value at some time since the report that the user saw.
    func isKept(_ fact: ModelFact, _ promised: Promise, _ history: [FactServer.Entry]) -> Bool {
        guard let last = history.lastIndex(where: { matches(fact, promised, $0) }) else { return false }
        if last == history.count - 1 { return true }
        if history[last + 1].at < promised.knownSince { return false }
        return true
    }

    func isOthers(_ entry: FactServer.Entry, _ row: ModelFact, _ promised: Promise) -> Bool {
        guard let stamp = entry.request, let sent = requests[stamp] else { return true }
        return sent.unedited.contains(row) || !isAbout(row, stamp)
            || (sent.isLost && sent.unsaved.contains(row) && sent.stamp > promised.at)
    }

    /// Orders and links change as well when a request is about something else: a deletion, or another membership.
    func isAbout(_ fact: ModelFact, _ stamp: ChangeStamp) -> Bool {
        if case .link = fact, requests[stamp]?.isLinkList == true { return true }
        return sentFacts[stamp]?.contains(fact) == true
    }
}
