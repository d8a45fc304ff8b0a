import Foundation
import RestfulData

extension SoakWork {
    static var edits: [SoakWork] {
        [
            SoakWork(name: "an edit saved") { app, turn in
                app.project.name = "saved \(turn)"
                try await app.context.save()
            },
            SoakWork(name: "an edit taken back") { app, turn in
                try app.task(turn).title = "no \(turn)"
                app.context.rollback()
            },
            SoakWork(name: "a query") { app, turn in
                _ = try app.context.query(Job.self).where { $0.project.name.hasPrefix("p") && $0.score > turn }.fetch()
            },
        ]
    }

    static var comings: [SoakWork] {
        [
            SoakWork(name: "a new object taken back") { app, _ in
                _ = app.newTask()
                app.context.rollback()
            },
            SoakWork(name: "a new object saved and deleted") { app, _ in
                let task = app.newTask()
                try await app.context.save()
                app.context.delete(task)
                try await app.context.save()
            },
            comeAndGo,
        ]
    }

    static var comeAndGo: SoakWork {
        SoakWork(name: "100 objects imported and deleted", count: 100) { app, turn in
            let rows = (0..<100).map { #"{"id": \#(10_000 + turn * 100 + $0), "title": "t"}"# }
            let tasks = try await app.context.import(Job.self, from: Data("[\(rows.joined(separator: ","))]".utf8))
                .objects
            for task in tasks { app.context.delete(task) }
            try await app.context.save()
        }
    }
}
