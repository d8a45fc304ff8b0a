import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// A new object with new members that link back: the first is created, then the others with their links.
@MainActor @Suite struct NewFamilyTests {
    @Model("/projects") final class Project {
        var identifier: Int?
        var name = ""
        @Relationship("/projects/:id/tasks", inverse: "project") var tasks: [Job]
    }

    @Model("/tasks") final class Job {
        var identifier: Int?
        var title = ""
        var project: Project?
    }

    private static let replies: [String: StubTransport.Reply] = [
        "POST /projects": .json(#"{"id": 1, "name": "p"}"#, status: 201),
        "POST /tasks": .json(#"{"id": 7, "title": "t", "project_id": 1}"#, status: 201),
        "POST /projects/1/tasks": .json(#"{"id": 7, "title": "t", "project_id": 1}"#, status: 201),
    ]

    private func service(_ location: Store.Location = .temporary) throws -> Service {
        try Service([Project.self, Job.self], location: location, stub: StubTransport(Self.replies))
    }

    private func family(_ service: Service, isSaved: Bool) async throws -> (Project, Job) {
        let (project, job) = (Project(in: service.main), Job(in: service.main))
        (project.name, job.title) = ("p", "t")
        project.tasks.append(job)
        if isSaved { try await service.main.save() }
        return (project, job)
    }

    @Test(arguments: [false, true]) func `A new owner is created first, and its new members are sent with their link`(
        isSaved: Bool
    ) async throws {
        let service = try service()
        let (project, job) = try await family(service, isSaved: isSaved)
        try await project.create()
        #expect(service.stub.log == [#"POST /projects {"name":"p"}"#])
        #expect(project.tasks.map(\.title) == ["t"] && job.unsentProperties == ["title", "project"])
        try await job.create()
        #expect(service.stub.log.last == #"POST /tasks {"title":"t","project_id":1}"#)
        try await service.main.save()
        #expect(project.tasks.map(\.identifier) == [7] && job.project === project && job.unsentProperties == [])
    }

    @Test func `An edit of a member saved during its owner's creation stays`() async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, [Project.self, Job.self])
        let project = Project(in: store.main)
        let (stays, leaves) = (Job(in: store.main), Job(in: store.main))
        project.tasks = [stays, leaves]
        (stays.title, leaves.title) = ("a", "b")
        let creating = Task { try await project.create() }
        await held.wait(for: 1)
        stays.title = "edited"
        leaves.project = nil
        try await store.main.save()
        held.answer(0, .json(#"{"id": 1, "name": "p"}"#, status: 201))
        try await creating.value
        #expect(stays.title == "edited" && stays.project === project && leaves.project == nil)
        #expect(project.tasks.map(\.title) == ["edited"] && !store.main.hasChanges)
        #expect(stays.unsentProperties == ["title", "project"])
    }

    @Test func `A member created during its owner's creation has the server's values`() async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, [Project.self, Job.self])
        let other = try await store.imported(Project.self, #"{"id": 2, "name": "o"}"#)
        let (project, job) = (Project(in: store.main), Job(in: store.main))
        project.tasks = [job]
        job.title = "a"
        let creating = Task { try await project.create() }
        await held.wait(for: 1)
        (job.title, job.project) = ("b", other)
        let leaving = Task { try await job.create() }
        await held.wait(for: 2)
        held.answer(1, .json(#"{"id": 7, "title": "b", "project_id": 2}"#, status: 201))
        try await leaving.value
        held.answer(0, .json(#"{"id": 1, "name": "p"}"#, status: 201))
        try await creating.value
        #expect(job.title == "b" && job.unsentProperties == [] && !store.main.hasChanges)
    }

    @Test(arguments: [false, true])
    func `A member deleted during its owner's creation doesn't return`(isCreated: Bool) async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, [Project.self, Job.self])
        let other = try await store.imported(Project.self, #"{"id": 2, "name": "o"}"#)
        let (project, job) = (Project(in: store.main), Job(in: store.main))
        project.tasks = [job]
        let creating = Task { try await project.create() }
        await held.wait(for: 1)
        if isCreated {
            job.project = other
            let leaving = Task { try await job.create() }
            await held.wait(for: 2)
            held.answer(1, .json(#"{"id": 7, "title": "", "project_id": 2}"#, status: 201))
            try await leaving.value
            let deleting = Task { try await job.delete() }
            await held.wait(for: 3)
            held.answer(2, .status(204))
            try await deleting.value
        } else {
            try await store.main.save()
            store.main.delete(job)
            try await store.main.save()
        }
        held.answer(0, .json(#"{"id": 1, "name": "p"}"#, status: 201))
        try await creating.value
        try await store.main.save()
        #expect(try store.main.query(Job.self).count() == 0)
        #expect(project.tasks.isEmpty && !store.main.hasChanges)
    }

    @Test(arguments: [false, true]) func `New members of a created owner are added by its list`(isSaved: Bool)
        async throws
    {
        let service = try service()
        let (project, job) = try await family(service, isSaved: isSaved)
        try await project.create()
        try await project.$tasks.add(job)
        #expect(service.stub.log.count == 2)
        #expect(project.tasks.map(\.identifier) == [7] && job.project === project && job.unsentProperties == [])
    }

    @Test func `New members are sent after a restart, together with known members`() async throws {
        let file = try TemporaryFile()
        do {
            let service = try service(.file(file.path))
            let known = try await service.imported(Job.self, #"{"id": 6, "title": "s", "project_id": null}"#)
            let (project, _) = try await family(service, isSaved: false)
            project.tasks.append(known)
            try await service.main.save()
        }
        let service = try service(.file(file.path))
        let project = try #require(try service.main.query(Project.self).fetch().first)
        try await project.create()
        #expect(service.stub.log == [#"POST /projects {"name":"p","task_ids":[6]}"#])
        let job = try #require(project.tasks.first { $0.identifier == nil })
        try await job.create()
        #expect(service.stub.log.last == #"POST /tasks {"title":"t","project_id":1}"#)
        #expect(Set(project.tasks.map(\.identifier)) == [6, 7])
        let moved = try #require(try service.main.find(Job.self, 6))
        #expect(moved.project === project)
    }
}
