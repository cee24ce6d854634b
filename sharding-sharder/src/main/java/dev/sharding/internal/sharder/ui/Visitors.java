package dev.sharding.internal.sharder.ui;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Who may look: whoever came by a link, which admits once. Safe for use by many threads.
 */
public final class Visitors {

	private static final int BYTES = 32;

	private static final int MOST = 16;

	private final SecureRandom random = new SecureRandom();

	/* Guarded by this. */
	private final List<String> invitations = new ArrayList<>();

	/* Guarded by this. */
	private final List<String> admitted = new ArrayList<>();

	/**
	 * Invites somebody.
	 * @return what the link must hold
	 */
	public synchronized String invite() {
		return add(this.invitations);
	}

	/**
	 * Admits whoever was invited, once.
	 * @param invitation what the link holds
	 * @return what he must show from now on, {@code null} if he was not invited or has
	 * come already
	 */
	synchronized @Nullable String admit(String invitation) {
		for (Iterator<String> each = this.invitations.iterator(); each.hasNext();) {
			if (isSame(each.next(), invitation)) {
				each.remove();
				return add(this.admitted);
			}
		}
		return null;
	}

	/** Tells whether somebody was admitted who shows that. */
	synchronized boolean isAdmitted(@Nullable String shown) {
		return shown != null && this.admitted.stream().anyMatch((one) -> isSame(one, shown));
	}

	private String add(List<String> values) {
		byte[] bytes = new byte[BYTES];
		this.random.nextBytes(bytes);
		String value = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
		if (values.size() >= MOST) {
			values.remove(0);
		}
		values.add(value);
		return value;
	}

	/* In a time that does not tell how much of it is right. */
	private static boolean isSame(String one, String other) {
		return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
	}

}
