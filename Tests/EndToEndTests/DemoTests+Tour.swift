extension DemoTests {
    /// The whole output of `demo`.
    static let tour = #"""
        A small GitHub runs on this machine, with invented contents. Its users,
        repositories and issues become live objects of the model classes in
        SampleGitHubAPI/Program/Models, kept in a new SQLite file.

        1. Fetch a user.
             let octocat = try await User.fetch(key: "octocat", in: store.main)
           → GET /users/octocat  200
           octocat is The Octocat, with 35 repositories.

        2. List the user's repositories, which come in pages.
             let repositories = try await octocat.$repositories.fetch(pages: .all())
           → GET /users/octocat/repos  200
           → GET /user/583231/repos?page=2  200
           NAME                 DESCRIPTION          INFO    PUSHED      LANGUAGE  STARS
           octocat/amber-anch…  The amber anchor,…   public  2015-08-01               16
           octocat/amber-brid…  The amber bridge,…   public  2016-04-16  Go           24
           octocat/amber-comp…                       public  2016-12-31  Swift        33
           octocat/amber-drum   The amber drum, in…  public  2017-09-16  Ruby         43
           …

        3. Each of them came with its owner. It is one object wherever you meet it.
             repositories[0].owner === octocat
           true

        4. List a repository's open issues, with all that is nested in them.
             let issues = try await helloWorld.$issues.fetch(pages: .all())
           → GET /repos/octocat/Hello-World/issues  200
           → GET /repositories/1296269/issues?page=2  200
            #  STATE  TITLE                  LABELS                 UPDATED     BY
           65  open   Retrying should be o…  bug                    2011-08-10  monalisa
           64  open   The cache takes fore…                         2011-08-07  hubot
           62  open   Café mode crashes      size: 100%?, duplica…  2011-08-01  monalisa
           61  open   The menu is too quiet  area/networking        2011-07-29  hubot
           … 44 in all

        5. Open an issue. The object gets its number from the reply, and stays the same.
             let issue = Issue(in: store.main)
             issue.title = "Found a bug"
             try await helloWorld.$issues.add(issue)
           → POST /repos/octocat/Hello-World/issues  201
             {"title":"Found a bug"}
           octocat/Hello-World#66, open, by octocat

        6. Comment on it.
             let comment = Comment(in: store.main)
             comment.body = "Me too"
             try await issue.$comments.add(comment)
           → POST /repos/octocat/Hello-World/issues/66/comments  201
             {"body":"Me too"}
           issue.comments.count == 1, comment.issue === issue: true

        7. Edit it. Only what changed is sent; and nothing where nothing did.
             issue.title = "The greeting is too quiet"
             try await issue.save()
             try await issue.save()
           → PATCH /repos/octocat/Hello-World/issues/66  200
             {"title":"The greeting is too quiet"}
           octocat/Hello-World#66 The greeting is too quiet

        8. Label it. Labels are objects here, and names on the way to GitHub.
             let labels = try await issue.repository?.$labels.fetch() ?? []
             issue.labels = labels.filter { $0.name == "bug" }
             try await issue.save()
           → GET /repos/octocat/Hello-World/labels  200
           → PATCH /repos/octocat/Hello-World/issues/66  200
             {"labels":["bug"]}
           bug is #d73a4a

        9. What the server refuses is an error by property, and loses nothing.
             issue.title = ""
             do { try await issue.save() } catch { refusal = error.reply }
             store.main.rollback()
           → PATCH /repos/octocat/Hello-World/issues/66  422
             {"title":""}
           refusal.fields == ["title": ["missing_field"]]
           After the rollback: The greeting is too quiet

        10. Close it.
             issue.state = .closed
             try await issue.save()
           → PATCH /repos/octocat/Hello-World/issues/66  200
             {"state":"closed"}
           octocat/Hello-World#66 is closed

        11. List the issues again. What the store knows already is not written again.
             let again = try await helloWorld.$issues.fetchReporting(pages: .all())
           → GET /repos/octocat/Hello-World/issues  200
           → GET /repositories/1296269/issues?page=2  200
           again.report: 0 inserted, 0 updated, 81 unchanged

        12. Ask the store, without the network.
             let crashes = try store.main.query(Issue.self)
                 .where { $0.state == .open && $0.title.contains("crashes") }
                 .order(by: { $0.number }, .descending)
                 .fetch()
           octocat/Hello-World#62 Café mode crashes
           octocat/Hello-World#43 The build crashes
           octocat/Hello-World#34 The tests crashes
           octocat/Hello-World#29 The parser crashes
           octocat/Hello-World#25 The cache crashes
           octocat/Hello-World#20 The tail crashes
           octocat/Hello-World#11 The log crashes

        13. Count what it holds now.
             try store.main.query(User.self).count()
           User        3
           Repository  35
           Issue       45
           Label       13
           Milestone   3
           Comment     1

        14. The server goes away. What you change waits in the store's outbox.
             await server.stop()
             let report = Issue(in: store.main)
             report.title = "Written on a train"
             try await helloWorld.$issues.add(report, .queued)
             crash.title = "Café mode crashes at night"
             try await crash.save(.queued)
           store.main.outboxCount == 2

        15. The program ends and starts again. The changes are in the store's file.
             store.close()
             let reopened = try Store(.file(path), models: GitHub.models, api: api)
             let entries = try await reopened.outbox.entries()
           1 POST /repos/octocat/Hello-World/issues (waiting)
           2 PATCH /repos/octocat/Hello-World/issues/62 (waiting)

        16. The server is back. Each change is sent once.
             try await server.start(port: port)
             let report = await reopened.outbox.drain()
           → POST /repos/octocat/Hello-World/issues  201
             {"title":"Written on a train"}
           → PATCH /repos/octocat/Hello-World/issues/62  200
             {"title":"Café mode crashes at night"}
           report.sent == 2, report.waiting == 0

        17. List the issues once more. The server has both changes.
             let repository = try reopened.main.query(Repository.self)
                 .where { $0.fullName == "octocat/Hello-World" }
                 .first()
             let issues = try await repository?.$issues.fetch(query: ["per_page": 100]) ?? []
           → GET /repos/octocat/Hello-World/issues?per_page=100  200
           octocat/Hello-World#67 Written on a train
           octocat/Hello-World#62 Café mode crashes at night

        The store stays at tour.sqlite. Look at it:
          sqlite3 tour.sqlite .tables
          sqlite3 -box tour.sqlite 'SELECT number, title, state FROM issue LIMIT 5'
          SampleGitHubAPI issues octocat/Hello-World --offline --store tour.sqlite
        How the classes became tables, JSON and routes: SampleGitHubAPI explain

        """#
}
