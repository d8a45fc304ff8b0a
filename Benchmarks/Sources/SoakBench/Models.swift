import RestfulData

@Model("/projects") final class Project {
    var identifier: Int?
    var name = ""
    @Relationship("/projects/:id/tasks", inverse: "project") var tasks: [Job]
}

@Model("/tasks") final class Job {
    var identifier: Int?
    var title = ""
    var score = 0
    var project: Project?
    @Relationship("/tasks/:id/tags", inverse: "tasks") var tags: [Tag]
}

@Model("/tags") final class Tag {
    var identifier: Int?
    var name = ""
    @Relationship("/tags/:id/tasks", inverse: "tags") var tasks: [Job]
}
