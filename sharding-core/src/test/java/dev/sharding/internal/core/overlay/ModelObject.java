package dev.sharding.internal.core.overlay;

/**
 * An object of the model: two fields that can be patched, the label that decides on the
 * scope, and what matters to deletions.
 */
record ModelObject(String key, String uid, String version, boolean scoped, int a, int b, boolean finalizer,
		boolean terminating) {

	static final ObjectAccess<String, ModelObject> ACCESS = new Access();

	ModelObject at(long newVersion) {
		return new ModelObject(this.key, this.uid, Long.toString(newVersion), this.scoped, this.a, this.b,
				this.finalizer, this.terminating);
	}

	ModelObject with(Field field, int value) {
		return new ModelObject(this.key, this.uid, this.version, (field == Field.SCOPE) ? value != 0 : this.scoped,
				(field == Field.A) ? value : this.a, (field == Field.B) ? value : this.b,
				(field == Field.FINALIZER) ? value != 0 : this.finalizer, this.terminating);
	}

	ModelObject terminate() {
		return new ModelObject(this.key, this.uid, this.version, this.scoped, this.a, this.b, this.finalizer, true);
	}

	int get(Field field) {
		return switch (field) {
			case A -> this.a;
			case B -> this.b;
			case SCOPE -> this.scoped ? 1 : 0;
			case FINALIZER -> this.finalizer ? 1 : 0;
		};
	}

	long number() {
		return Long.parseLong(this.version);
	}

	enum Field {

		A, B, SCOPE, FINALIZER

	}

	private static final class Access implements ObjectAccess<String, ModelObject> {

		@Override
		public String key(ModelObject object) {
			return object.key;
		}

		@Override
		public String uid(ModelObject object) {
			return object.uid;
		}

		@Override
		public String version(ModelObject object) {
			return object.version;
		}

		@Override
		public boolean inScope(ModelObject object) {
			return object.scoped;
		}

		@Override
		public boolean exists(ModelObject object) {
			return !object.terminating || object.finalizer;
		}

	}

}
