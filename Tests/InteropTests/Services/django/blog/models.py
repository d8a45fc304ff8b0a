"""The tables of the blog."""

from django.core.validators import MinValueValidator
from django.db import models


class Dated(models.Model):
    """Knows when it has changed."""

    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True


class Author(Dated):
    name = models.CharField(max_length=100)
    email = models.EmailField(null=True, blank=True)
    born_on = models.DateField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)


class Tag(Dated):
    name = models.CharField(max_length=50, unique=True)


class Article(Dated):
    class State(models.TextChoices):
        DRAFT = "draft"
        PUBLISHED = "published"

    author = models.ForeignKey(Author, models.CASCADE, related_name="articles")
    title = models.CharField(max_length=200)
    slug = models.SlugField(unique=True)
    body = models.TextField(blank=True, default="")
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    published_at = models.DateTimeField(null=True, blank=True)
    price = models.DecimalField(
        max_digits=10, decimal_places=2, null=True, blank=True, validators=[MinValueValidator(0)]
    )
    featured = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    tags = models.ManyToManyField(Tag, blank=True, related_name="articles")


class Comment(Dated):
    article = models.ForeignKey(Article, models.CASCADE, related_name="comments")
    author = models.ForeignKey(Author, models.SET_NULL, null=True, blank=True, related_name="comments")
    body = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
