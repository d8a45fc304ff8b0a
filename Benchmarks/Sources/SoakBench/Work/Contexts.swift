import Foundation
import RestfulData

extension SoakWork {
    static var contexts: [SoakWork] {
        [
            SoakWork(name: "a draft saved, another let go of") { app, turn in
                for isSaved in [true, false] {
                    let draft = try app.context.draft()
                    try app.task(turn, in: draft.context).title = "draft \(turn)"
                    if isSaved { try draft.save() }
                }
            },
            SoakWork(name: "a background context") { app, turn in
                try await app.store.background { context in
                    try context.find(Job.self, 1 + turn % 20)?.title = "background \(turn)"
                    try await context.save()
                }
            },
            SoakWork(name: "an actor with a context of its own") { app, turn in
                try await Worker().work(in: app.store, turn)
            },
            // Dispatch keeps a block or two of each queue that there was.
            SoakWork(name: "a store opened and closed", count: 50, mayLeave: 2048) { app, _ in
                let store = try Store(.file(app.store.path + ".second"), models: [Project.self, Job.self, Tag.self])
                _ = try store.main.query(Job.self).count()
                store.close()
            },
        ]
    }
}

private actor Worker {
    func work(in store: Store, _ turn: Int) async throws {
        let own = store.context(on: self)
        try own.context.find(Job.self, 1 + turn % 20)?.title = "actor \(turn)"
        try await own.context.save()
    }
}
