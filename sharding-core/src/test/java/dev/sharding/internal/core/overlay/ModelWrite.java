package dev.sharding.internal.core.overlay;

import java.util.List;
import java.util.function.Function;

import dev.sharding.internal.core.overlay.ModelObject.Field;
import org.jspecify.annotations.Nullable;

/**
 * A write of the model's own writers, on its way.
 */
final class ModelWrite {

	private final Kind kind;

	private final String writer;

	/** With a generated name the key is what the server will choose. */
	private final String key;

	private final @Nullable String base;

	private final @Nullable String uid;

	private final Field field;

	private final int value;

	long id;

	/** What the overlay names the doubt by, once nobody learns the outcome. */
	long doubt;

	private ModelServer.@Nullable Answer answer;

	private long committed;

	private boolean made;

	private ModelWrite(Kind kind, String writer, String key, @Nullable String base, @Nullable String uid, Field field,
			int value) {
		this.kind = kind;
		this.writer = writer;
		this.key = key;
		this.base = base;
		this.uid = uid;
		this.field = field;
		this.value = value;
	}

	static ModelWrite of(int choice, List<String> keys, List<String> writers,
			Function<String, @Nullable ModelObject> seen) {
		String key = keys.get(choice % 3);
		String writer = writers.get(choice / 3 % 2);
		Field field = Field.values()[choice / 6 % 4];
		int value = choice / 24 % 5;
		ModelObject object = seen.apply(key);
		if (object == null) {
			Kind kind = (key.startsWith("y") && choice / 120 % 2 == 0) ? Kind.GENERATE : Kind.CREATE;
			return new ModelWrite(kind, writer, key, null, null, field, value);
		}
		return switch (choice / 120 % 7) {
			case 0, 1, 2 -> new ModelWrite(Kind.PATCH, writer, key, object.version(), null, field, value);
			case 3, 4 -> new ModelWrite(Kind.PATCH, writer, key, null, null, field, value);
			case 5 -> new ModelWrite(Kind.DELETE, writer, key, object.version(), object.uid(), field, value);
			default -> new ModelWrite(Kind.DELETE, writer, key, null, null, field, value);
		};
	}

	/** The same, tried again. */
	ModelWrite again() {
		return new ModelWrite(this.kind, this.writer, this.key, this.base, this.uid, this.field, this.value);
	}

	OwnWrite<String, ModelObject> asOwnWrite() {
		return switch (this.kind) {
			case CREATE -> new OwnWrite.Create<>(this.writer, this.key, (name) -> false);
			case GENERATE -> new OwnWrite.Create<>(this.writer, null, (name) -> name.startsWith("y"));
			case PATCH -> new OwnWrite.Update<>(this.writer, this.key, this.base, this::explains);
			case DELETE -> new OwnWrite.Delete<>(this.writer, this.key, this.uid, this.base);
		};
	}

	void sendTo(ModelServer server) {
		long before = server.version();
		this.answer = switch (this.kind) {
			case CREATE, GENERATE -> server.create(this.key, this.field != Field.SCOPE || this.value > 1, this.value,
					this.field == Field.FINALIZER, this.writer);
			case PATCH -> server.patch(this.key, this.base, this.field, this.value(), this.writer);
			case DELETE -> server.delete(this.key, this.uid, this.writer);
		};
		this.committed = server.version();
		this.made = this.committed > before;
	}

	ModelServer.Answer answer() {
		return this.answer;
	}

	/** A version at which the world surely contains the write. */
	long committed() {
		return this.answer.gone() ? this.committed : Math.min(this.committed, this.answer.object().number());
	}

	boolean happened() {
		return this.answer != null && !this.answer.refused();
	}

	/** Nobody can know a generated name that was never told. */
	boolean happenedToKnownKey() {
		return this.kind != Kind.GENERATE && happened();
	}

	/** A delete by name alone. */
	boolean isBlind() {
		return this.kind == Kind.DELETE && this.uid == null;
	}

	void tell(DeliveryChecker deliveries) {
		if (this.kind != Kind.DELETE) {
			deliveries.answered(this.writer, this.key, this.answer.object().number(), this.made, this.base,
					(this.kind == Kind.PATCH && this.base == null) ? this.field : null, value());
		}
	}

	private int value() {
		return (this.field == Field.SCOPE || this.field == Field.FINALIZER) ? this.value % 2 : this.value;
	}

	private boolean explains(@Nullable ModelObject before, ModelObject after) {
		return before != null && before.with(this.field, value()).at(after.number()).equals(after);
	}

	@Override
	public String toString() {
		return this.kind + " of " + this.key + " by " + this.writer + " " + this.answer;
	}

	enum Kind {

		CREATE, GENERATE, PATCH, DELETE

	}

}
