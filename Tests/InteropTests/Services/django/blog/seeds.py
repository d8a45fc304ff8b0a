"""What is in the tables when a test begins: the same as in the service of Rails."""

from datetime import date, datetime, timedelta, timezone

from django.core.management import call_command
from django.db import connection
from django.http import HttpResponse
from django.views.decorators.csrf import csrf_exempt

from .models import Article, Author, Comment, Tag


def reset():
    call_command("flush", interactive=False, verbosity=0)
    # Ids begin with 1 again.
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM sqlite_sequence")
    names = [("Ada Lovelace", date(1815, 12, 10)), ("Alan Turing", date(1912, 6, 23)), ("Grace Hopper", None)]
    authors = [
        Author.objects.create(name=name, email=f"{name.split()[0].lower()}@example.org", born_on=born)
        for name, born in names
    ]
    tags = [Tag.objects.create(name=name) for name in ["swift", "sqlite", "rest", "json"]]
    for n in range(1, 26):
        article = Article.objects.create(
            author=authors[n % 3],
            title=f"Article {n}",
            slug=f"article-{n}",
            body=f"The text of article {n}.",
            state="published" if n % 2 else "draft",
            published_at=datetime(2024, 1, n, 12, 30, 0, 250_000, timezone.utc) if n % 2 else None,
            price=f"{n}.05",
        )
        article.tags.set([tags[n % 4], tags[(n + 1) % 4]])
        for m in range(12 if n == 1 else 1):
            Comment.objects.create(article=article, author=authors[m % 3], body=f"Comment {m + 1} on {n}")
    # A date tells states apart only once it is past.
    for model in [Author, Tag, Article, Comment]:
        model.objects.update(updated_at=datetime.now(timezone.utc) - timedelta(hours=1))


@csrf_exempt
def reset_view(request):
    reset()
    return HttpResponse(status=204)
