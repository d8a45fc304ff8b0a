import Testing

/// What can be wrong with classes that inherit, and with those that they inherit from.
@Suite struct InheritanceMisuseTests {
    @Test func `Nothing tells the classes apart`() {
        expectMisuse(
            """
            @Model
            class ⏵Event {
                var identifier: Int?
            }
            """,
            "nothing tells 'Event' from a class that inherits from it; make it 'final', or name the attribute that does with "
                + "'@Model(discriminator:)'",
            fixIts: [
                FixIt(
                    "make it 'final'",
                    """
                    @Model
                    final class Event {
                        var identifier: Int?
                    }
                    """)
            ])
    }

    @Test func `Nothing can inherit`() {
        expectMisuse(
            """
            @Model(discriminator: "type")
            ⏵final class Event {
                var identifier: Int?
                var type = ""
            }
            """,
            "no class can inherit from 'Event', so it needs no discriminator; remove 'final' or that",
            fixIts: [
                FixIt(
                    "remove 'final'",
                    """
                    @Model(discriminator: "type")
                    class Event {
                        var identifier: Int?
                        var type = ""
                    }
                    """)
            ])
    }

    @Test func `A discriminator that is not there`() {
        expectMisuse(
            """
            @Model(discriminator: ⏵"tpye")
            class Event {
                var identifier: Int?
                var type = ""
            }
            """,
            "'discriminator:' names 'tpye', and 'Event' has no such property; did you mean 'type'?",
            fixIts: [
                FixIt(
                    "replace 'tpye' with 'type'",
                    """
                    @Model(discriminator: "type")
                    class Event {
                        var identifier: Int?
                        var type = ""
                    }
                    """)
            ])
    }

    @Test func `No superclass`() {
        expectMisuse(
            """
            @Model(inherits: Event.self)
            final class ⏵PushEvent {
                var size = 0
            }
            """,
            "'inherits:' names 'Event', and the class doesn't inherit from it; write 'PushEvent: Event'",
            fixIts: [
                FixIt(
                    "inherit from 'Event'",
                    """
                    @Model(inherits: Event.self)
                    final class PushEvent: Event {
                        var size = 0
                    }
                    """)
            ])
    }

    @Test func `Another superclass`() {
        expectMisuse(
            """
            @Model(inherits: Event.self)
            final class ⏵PushEvent: Entry {
                var size = 0
            }
            """,
            "'inherits:' names 'Event', and the class doesn't inherit from it; write 'PushEvent: Event'")
    }

    @Test func `An identity of its own`() {
        expectMisuse(
            """
            @Model(inherits: Event.self, ⏵identity: "number")
            final class PushEvent: Event {
                var number: Int?
            }
            """,
            "'PushEvent' has the identity of 'Event', as they share a table; declare it there")
    }

    @Test func `A property of the other class's`() {
        expectMisuse(
            """
            @Model(inherits: Event.self)
            final class PushEvent: Event {
                ⏵override var title = "Push"
            }
            """,
            "'title' is a property of the model that this class inherits from, which declares it for both; remove it "
                + "here")
    }

    @Test func `What is inherited is not seen`() {
        expectNoMisuse(
            """
            @Model("/pushes/:actor.login", inherits: Event.self, key: "number")
            final class PushEvent: Event {
                @Relationship("/events/:id/commits") var commits: [Commit]
            }
            """)
    }
}
