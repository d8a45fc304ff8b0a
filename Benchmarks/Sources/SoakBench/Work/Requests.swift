import RestfulData

extension SoakWork {
    static var requests: [SoakWork] {
        [
            SoakWork(name: "a list of 20 fetched") { app, _ in _ = try await app.project.$tasks.fetch(.reload) },
            SoakWork(name: "the same, of 500 queries in turn") { app, turn in
                _ = try await app.project.$tasks.fetch(.reload, query: ["page": "\(turn % 500)"])
            },
            SoakWork(name: "the same, as 304") { app, _ in
                app.server.mood = .same
                _ = try await app.project.$tasks.fetch()
                app.server.mood = .changing
            },
            SoakWork(name: "an object fetched") { app, _ in try await app.project.fetch(.reload) },
            SoakWork(name: "an edit sent") { app, turn in
                app.project.name = "sent \(turn)"
                try await app.project.save()
            },
            SoakWork(name: "an edit that fails to be sent") { app, turn in
                app.server.mood = .failing
                app.project.name = "failed \(turn)"
                try? await app.project.save()
                app.server.mood = .changing
            },
            SoakWork(name: "an object created and deleted") { app, _ in
                let task = app.newTask()
                try await task.create()
                try await task.delete()
            },
            SoakWork(name: "a member added and deleted") { app, _ in
                let task = Job(in: app.context)
                try await app.project.$tasks.add(task)
                try await task.delete()
            },
            SoakWork(name: "a many-to-many list sent") { app, turn in
                let task = try app.task(turn)
                task.tags = [app.tags[turn / 20 % app.tags.count]]
                try await task.save()
            },
        ]
    }
}
