import RestfulData

extension SoakWork {
    static var watching: [SoakWork] {
        [
            SoakWork(name: "a live list made, and let go of after an edit") { app, turn in
                let live = try app.context.query(Job.self).order { $0.score }.live()
                try app.task(turn).score = turn
                guard live.count >= 20 else { throw Failure(description: "the list has \(live.count) objects") }
            },
            SoakWork(name: "an edit saved, with lists that nobody reads") { app, turn in
                if app.held.isEmpty { app.held = try unread(app) }
                try app.task(turn).score = turn
                try await app.context.save()
            },
            SoakWork(name: "100 objects imported and deleted, with lists that nobody reads", count: 100) { app, turn in
                try await comeAndGo.run(app, 1_000 + turn)
            },
            SoakWork(name: "an edit undone") { app, turn in
                app.held = []
                let history = app.context.recordUndo()
                try app.task(turn).title = "undone \(turn)"
                history.undo()
            },
        ]
    }

    @MainActor private static func unread(_ app: SoakApp) throws -> [AnyObject] {
        let query = app.context.query(Job.self).order { $0.score }
        return [try query.live(), try query.liveSections { $0.title }, try query.liveCount()]
    }
}
