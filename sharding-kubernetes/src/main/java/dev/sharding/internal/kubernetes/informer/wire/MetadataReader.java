package dev.sharding.internal.kubernetes.informer.wire;

import java.io.ByteArrayOutputStream;
import java.util.Map;

import dev.sharding.resource.ObjectKey;
import org.jspecify.annotations.Nullable;

/**
 * Reads a page of a list of metadata while it arrives, so that a long one takes no more
 * memory than what is kept of it. Used by one thread at a time.
 */
public final class MetadataReader {

	private static final int SIZED = 2;

	private static final int LONGEST_VARINT = 10;

	private final MetadataItems found;

	/** What came and is not read yet: from {@link #position} on. */
	private byte[] pending = {};

	private int position;

	/** Everything, if it is not protobuf. */
	private @Nullable ByteArrayOutputStream text;

	private boolean begun;

	/** How much of the list is to come; negative outside of it. */
	private long listed = -1;

	private boolean hadList;

	private MetadataPage page = new MetadataPage("", "");

	/**
	 * Creates a reader of one page.
	 * @param found gets the version of each object
	 */
	public MetadataReader(Map<ObjectKey, String> found) {
		this(MetadataItems.versions(found));
	}

	/**
	 * Creates a reader of one page.
	 * @param found gets each object
	 */
	MetadataReader(MetadataItems found) {
		this.found = found;
	}

	/** The next bytes of the page, which the reader keeps. */
	public void receive(byte[] bytes) {
		if (this.text != null) {
			this.text.writeBytes(bytes);
			return;
		}
		int rest = this.pending.length - this.position;
		byte[] joined = bytes;
		if (rest > 0) {
			joined = new byte[rest + bytes.length];
			System.arraycopy(this.pending, this.position, joined, 0, rest);
			System.arraycopy(bytes, 0, joined, rest, bytes.length);
		}
		this.pending = joined;
		this.position = 0;
		if (this.begun || begins()) {
			while (reads()) {
				// Goes on until a field is not complete.
			}
		}
	}

	/** All has come. */
	public MetadataPage end() {
		if (this.text != null) {
			return MetadataPage.readJson(this.text.toByteArray(), this.found);
		}
		if (this.position < this.pending.length || this.listed > 0 || !this.hadList) {
			throw new IllegalArgumentException("Malformed protobuf: it ends too early");
		}
		return this.page;
	}

	private boolean begins() {
		int magic = MetadataPage.PROTOBUF.length;
		if (this.pending.length < magic && MetadataPage.mayBeProtobuf(this.pending)) {
			return false;
		}
		if (!MetadataPage.mayBeProtobuf(this.pending)) {
			this.text = new ByteArrayOutputStream();
			this.text.writeBytes(this.pending);
			return false;
		}
		this.position = magic;
		this.begun = true;
		return true;
	}

	/* Reads one field, or enters the list, if that has come as a whole. */
	private boolean reads() {
		int start = this.position;
		if (start == this.pending.length) {
			return false;
		}
		if (this.listed == 0) {
			this.listed = -1;
		}
		long tag = varint();
		long length = (tag >= 0 && (tag & 7) == SIZED) ? varint() : 0;
		if (tag < 0 || length < 0) {
			this.position = start;
			return false;
		}
		boolean inList = this.listed > 0;
		if (!inList && tag == MetadataPage.LIST_TAG) {
			this.listed = length;
			this.hadList = true;
			return true;
		}
		if ((tag & 7) != SIZED) {
			// The list and its envelope have no others that are longer.
			length = 0;
			if ((tag & 7) != 0 || varint() < 0) {
				this.position = start;
				return fail((tag & 7) != 0);
			}
		}
		if (length > this.pending.length - this.position) {
			this.position = start;
			return fail(inList && length > this.listed);
		}
		this.position += (int) length;
		if (inList) {
			this.listed -= this.position - start;
			fail(this.listed < 0);
			this.page = this.page.with(new ProtobufCursor(this.pending, start, this.position), this.found);
		}
		return true;
	}

	private static boolean fail(boolean malformed) {
		if (malformed) {
			throw new IllegalArgumentException("Malformed protobuf");
		}
		return false;
	}

	/** A number that is not negative, or -1 if it has not come as a whole. */
	private long varint() {
		long value = 0;
		for (int i = 0; i < LONGEST_VARINT; i++) {
			if (this.position == this.pending.length) {
				return -1;
			}
			byte part = this.pending[this.position++];
			value |= (long) (part & 0x7f) << (7 * i);
			if (part >= 0) {
				fail(value < 0);
				return value;
			}
		}
		throw new IllegalArgumentException("Malformed protobuf");
	}

}
